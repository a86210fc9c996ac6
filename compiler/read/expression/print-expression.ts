/** Prints an expression in its canonical form in either syntax: parsing it returns the same tree. */
import type { Coalesce, Concat, Expression, Logical, Path, Syntax, Token } from './ast.js';
import { nodeKinds } from './node-kinds.js';
import { printText } from './parse/literals.js';
import { printName } from './parse/name-argument.js';
import { printSteps } from './parse/path.js';
import { quote } from './parse/quoted.js';
import { nodesIn } from './visit.js';

/** Prints the expression in a syntax. Throws if a node cannot be expressed in it (see `inexpressible`). */
export function printExpression(expression: Expression, syntax: Syntax): string {
  const without = inexpressible(expression, syntax);
  if (without !== undefined) throw new Error(`Syntax ${syntax} has no form for the node '${without.kind}'`);
  return print(expression, syntax);
}

/** The first node that cannot be expressed in the syntax; undefined if all nodes can. */
export function inexpressible(expression: Expression, syntax: Syntax): Expression | undefined {
  return nodesIn(expression).find((node) => !(syntax === 'A' ? hasFormInA(node) : hasFormInB(node)));
}

function hasFormInA(node: Expression): boolean {
  return node.kind !== 'result';
}

function hasFormInB(node: Expression): boolean {
  if (node.kind === 'value') return isIdentifier(node.name) && node.path.length > 0;
  if (node.kind === 'next' || node.kind === 'paging') return isIdentifier(node.name);
  if (node.kind === 'result')
    return isIdentifier(node.name) && !['true', 'false', 'null'].includes(node.name.toLowerCase());
  if (node.kind === 'size')
    return [
      'param',
      'sent',
      'body',
      'caller',
      'value',
      'element',
      'result',
      'coalesce',
      'error',
      'code',
    ].includes(node.of.kind);
  return nodeKinds[node.kind].inSyntaxB === true;
}

/** Whether a fulfillment's name can be written in Syntax B, where it is not a keyword. */
function isIdentifier(name: string): boolean {
  return /^[\p{L}_][\p{L}\p{M}\p{N}_-]*$/u.test(name) && !/^(?:param|body|PARAM|BODY)$/.test(name);
}

function print(node: Expression, syntax: Syntax): string {
  switch (node.kind) {
    case 'arithmetic':
    case 'comparison': {
      const [left, right] = [node.left, node.right].map((side) => grouped(side, syntax, isOperation(side)));
      return `${left ?? ''} ${node.operator} ${right ?? ''}`;
    }
    case 'logical': {
      const left = grouped(node.left, syntax, bindsLooser(node.left, node));
      const right = grouped(
        node.right,
        syntax,
        node.right.kind === 'logical' && !bindsTighter(node.right, node),
      );
      return `${left} ${node.operator} ${right}`;
    }
    case 'not':
      return `!${grouped(node.operand, syntax, isOperation(node.operand))}`;
    default:
      return syntax === 'A' ? printA(node) : printB(node);
  }
}

function isOperation(node: Expression): boolean {
  return node.kind === 'comparison' || node.kind === 'logical' || node.kind === 'arithmetic';
}

function bindsLooser(inner: Expression, outer: Logical): boolean {
  return inner.kind === 'logical' && inner.operator === '||' && outer.operator === '&&';
}

function bindsTighter(inner: Logical, outer: Logical): boolean {
  return inner.operator === '&&' && outer.operator === '||';
}

function grouped(node: Expression, syntax: Syntax, parentheses: boolean): string {
  return parentheses ? `(${print(node, syntax)})` : print(node, syntax);
}

type Operand = Exclude<Expression, { kind: 'arithmetic' | 'comparison' | 'logical' | 'not' }>;

function printA(node: Operand): string {
  switch (node.kind) {
    case 'text':
      return printText(node.value);
    case 'number':
      return `${Number.isSafeInteger(node.value) ? 'INTEGER' : 'DECIMAL'}(${node.value})`;
    case 'boolean':
      return `BOOLEAN(${String(node.value)})`;
    case 'param':
      return node.path.length === 0
        ? `PARAM(${printName(node.name)})`
        : `VALUE(PARAM(${printName(node.name)}), ${printPath(node.path)})`;
    case 'sent':
      return `${node.place.toUpperCase()}(${printName(node.name)})`;
    case 'query-map':
      return 'QUERY()';
    case 'body':
    case 'caller':
    case 'error':
      return `${node.kind.toUpperCase()}(${node.path.length === 0 ? '' : printPath(node.path)})`;
    case 'value':
      return `VALUE(${printName(node.name)}, ${printPath(node.path)})`;
    case 'element':
      return `VALUE(@, ${printPath(node.path)})`;
    case 'result':
      throw new Error('not in Syntax A');
    case 'value-by-index':
      return `VALUE_BY_INDEX(${printName(node.name)}, ${print(node.index, 'A')}, ${printPath(node.path)})`;
    case 'list':
      return `LIST(${node.count.kind === 'number' ? node.count.value : print(node.count, 'A')})`;
    case 'size':
      return `SIZE(${print(node.of, 'A')})`;
    case 'status':
    case 'failure':
    case 'next':
      return `${node.kind.toUpperCase()}(${printName(node.name)})`;
    case 'paging':
      return `${node.fact.toUpperCase()}(${printName(node.name)}${node.relation === undefined ? '' : `, ${node.relation}`})`;
    case 'status-by-index':
      return `STATUS_BY_INDEX(${printName(node.name)}, ${print(node.index, 'A')})`;
    case 'failure-by-index':
      return `FAILURE_BY_INDEX(${printName(node.name)}, ${print(node.index, 'A')})`;
    case 'response-header':
      return `RESPONSE_HEADER(${printName(node.name)}, ${printName(node.header)})`;
    case 'multipart-file':
      return `MULTIPART_FILE(${printName(node.part)}${node.path.length === 0 ? '' : `, ${printPath(node.path)}`})`;
    case 'concat':
    case 'coalesce':
      return `${node.kind.toUpperCase()}(${printParts(node, 'A')})`;
    case 'null':
    case 'now':
    case 'uuid':
    case 'address':
      return `${node.kind.toUpperCase()}()`;
    case 'random':
      return `RANDOM(${node.bytes}${node.form === 'hex' ? ', hex' : ''})`;
    case 'sha256':
    case 'length':
    case 'lower':
    case 'hash':
    case 'outdated':
      return `${node.kind.toUpperCase()}(${print(node.of, 'A')})`;
    case 'verify':
      return `VERIFY(${print(node.value, 'A')}, ${print(node.hash, 'A')})`;
    case 'token':
      return `TOKEN(${printName(node.authentication)}, ${printClaims(node, 'A')})`;
    case 'code':
      return `CODE(${[printName(node.function), ...node.input.map((one) => print(one, 'A'))].join(', ')})`;
    case 'variable':
      return `ENV(${[printName(node.name), ...node.byDefault.map((one) => print(one, 'A'))].join(', ')})`;
    case 'if-match':
      return `IF_MATCH(${print(node.of, 'A')})`;
  }
}

function printParts({ parts }: Concat | Coalesce, syntax: Syntax): string {
  return parts.map((part) => print(part, syntax)).join(', ');
}

function printClaims({ of, lifetime }: Token, syntax: Syntax): string {
  return [of, ...(lifetime === undefined ? [] : [lifetime])].map((part) => print(part, syntax)).join(', ');
}

function printPath(path: Path): string {
  return `$${printSteps(path)}`;
}

function printB(node: Operand): string {
  switch (node.kind) {
    case 'text':
      return quote(node.value, "'");
    case 'number':
    case 'boolean':
      return String(node.value);
    case 'null':
      return 'null';
    case 'param':
      return `param${printSteps([{ kind: 'name', name: node.name }, ...node.path])}`;
    case 'sent':
      return `${node.place}${printSteps([{ kind: 'name', name: node.name }])}`;
    case 'query-map':
      return 'query';
    case 'body':
    case 'caller':
    case 'error':
      return `${node.kind}${printSteps(node.path)}`;
    case 'value':
      return `${node.name}${printSteps(node.path)}`;
    case 'element':
      return `@${printSteps(node.path)}`;
    case 'result':
      return node.name;
    case 'size':
      return `${print(node.of, 'B')}.size()`;
    case 'next':
      return `${node.name}.next()`;
    case 'paging':
      return `${node.name}.${node.fact}(${node.relation === undefined ? '' : quote(node.relation, "'")})`;
    case 'concat':
    case 'coalesce':
      return `${node.kind}(${printParts(node, 'B')})`;
    case 'now':
    case 'uuid':
    case 'address':
      return `${node.kind}()`;
    case 'random':
      return `random(${node.bytes}${node.form === 'hex' ? ", 'hex'" : ''})`;
    case 'sha256':
    case 'length':
    case 'lower':
    case 'hash':
    case 'outdated':
      return `${node.kind}(${print(node.of, 'B')})`;
    case 'verify':
      return `verify(${print(node.value, 'B')}, ${print(node.hash, 'B')})`;
    case 'token':
      return `token(${quote(node.authentication, "'")}, ${printClaims(node, 'B')})`;
    case 'code':
      return `code(${[quote(node.function, "'"), ...node.input.map((one) => print(one, 'B'))].join(', ')})`;
    case 'variable':
      return `env(${[quote(node.name, "'"), ...node.byDefault.map((one) => print(one, 'B'))].join(', ')})`;
    case 'if-match':
      return `if_match(${print(node.of, 'B')})`;
    case 'multipart-file':
      return `multipart_file(${quote(node.part, "'")})${printSteps(node.path)}`;
    case 'value-by-index':
    case 'list':
    case 'status':
    case 'failure':
    case 'status-by-index':
    case 'failure-by-index':
    case 'response-header':
      throw new Error(`'${node.kind}' is not in Syntax B`);
  }
}
