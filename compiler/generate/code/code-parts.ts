/** Queries on code trees, and replacement of nodes. */
import type { AnyNode, Arrow, Code, ObjectCode, Parameter, Statement, Type } from './nodes.js';

/** Any node except types. */
export type Part = Exclude<AnyNode, Type | Parameter> | Code;

type Body = Arrow['body'];

/** Whether the code contains `await` outside of nested functions. */
export function awaits(code: Body): boolean {
  const isAwait = (part: Part): boolean => part.kind === 'prefixed' && part.operator === 'await';
  return visit(code, (part) => (part.kind === 'arrow' || part.kind === 'function' ? 'skip' : isAwait(part)));
}

/** Whether the code, including nested functions, reads the variable. Object keys of the same name do not count. */
export function reads(code: Body, variable: string): boolean {
  return visit(code, (part) => part.kind === 'name' && part.name === variable);
}

/** The nodes of the code that are in `known`, in printed order, including repetitions. */
export function occurrences(code: Code, known: ReadonlyMap<Part, unknown>): readonly Part[] {
  const found: Part[] = [];
  visit(code, (part) => {
    if (!known.has(part)) return false;
    found.push(part);
    return 'skip';
  });
  return found;
}

/** Calls `enter` for each node until a call returns true; if a call returns `skip`, the descendants of that node are not visited. */
function visit(code: Part | Body, enter: (part: Part) => boolean | 'skip'): boolean {
  if (isStatements(code)) return code.some((part) => visit(part, enter));
  const result = enter(code);
  return result === 'skip' ? false : result || partsOf(code).some((part) => visit(part, enter));
}

/** True for statements, false for an expression. */
export function isStatements(body: Part | Body): body is readonly Statement[] {
  return Array.isArray(body);
}

/** The direct children of a node, in printed order. */
function partsOf(node: Part): readonly Part[] {
  switch (node.kind) {
    case 'name':
    case 'literal':
    case 'break':
    case 'import':
    case 'comment':
    case 'doc':
    case 'blank':
    case 'type':
    case 'interface':
      return [];
    case 'template':
      return node.parts.filter((part) => typeof part !== 'string');
    case 'member':
      return [node.object];
    case 'call':
      return [node.callee, ...node.args];
    case 'generic':
      return [node.of];
    case 'prefixed':
      return [node.operand];
    case 'binary':
      return [node.left, node.right];
    case 'conditional':
      return [node.test, node.then, node.otherwise];
    case 'arrow':
      return isStatements(node.body) ? node.body : [node.body];
    case 'object':
      return node.fields;
    case 'array':
      return node.items.filter((item) => item !== undefined);
    case 'field':
    case 'return':
    case 'throw':
      return [node.value];
    case 'declaration':
      return node.value === undefined ? [node.target] : [node.target, node.value];
    case 'run':
      return [node.code];
    case 'if':
      return [node.test, ...node.then, ...(node.otherwise === undefined ? [] : [node.otherwise])];
    case 'for':
      return [node.element, node.of, ...node.body];
    case 'try':
      return [...node.body, node.error, ...node.handler];
    case 'block':
    case 'function':
      return node.body;
    case 'export':
      return [node.declaration];
  }
}

/** Replaces nodes of the code. Nodes without replaced descendants keep their identity. */
export function replaced(code: Code, by: ReadonlyMap<Code, Code>): Code {
  const inCode = (part: Code): Code => {
    const other = by.get(part);
    if (other !== undefined) return other;
    if (occurrences(part, by).length === 0) return part;
    switch (part.kind) {
      case 'template':
        return { ...part, parts: part.parts.map((one) => (typeof one === 'string' ? one : inCode(one))) };
      case 'member':
        return { ...part, object: inCode(part.object) };
      case 'call':
        return { ...part, callee: inCode(part.callee), args: part.args.map(inCode) };
      case 'prefixed':
        return { ...part, operand: inCode(part.operand) };
      case 'binary':
        return { ...part, left: inCode(part.left), right: inCode(part.right) };
      case 'conditional':
        return {
          ...part,
          test: inCode(part.test),
          then: inCode(part.then),
          otherwise: inCode(part.otherwise),
        };
      case 'arrow':
        return {
          ...part,
          body: isStatements(part.body) ? part.body.map(inStatement) : inCode(part.body),
        };
      case 'object':
        return { ...part, fields: part.fields.map(inField) };
      case 'array':
        return { ...part, items: part.items.map((item) => item && inCode(item)) };
      case 'name':
      case 'literal':
      case 'generic':
        return part;
    }
  };
  const inField = (part: ObjectCode['fields'][number]): ObjectCode['fields'][number] =>
    part.kind === 'field' ? { ...part, value: inCode(part.value) } : part;
  // Functions nested in expressions only declare variables and return a value.
  const inStatement = (part: Statement): Statement => {
    if (part.kind === 'return') return { ...part, value: inCode(part.value) };
    if (part.kind === 'declaration') return { ...part, value: part.value && inCode(part.value) };
    return part;
  };
  return inCode(code);
}
