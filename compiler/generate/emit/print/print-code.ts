/**
 * Generated code as a document, built as prettier builds it. Without prettier's parser, comments and many cases of other languages a build
 * takes half as long. `test/emit/print-code.test.ts` compares the bytes.
 */
import type {
  Arrow,
  Block,
  Call,
  Code,
  Field,
  Member,
  ObjectCode,
  Parameter,
  Statement,
  Template,
  Type,
} from './code-tree.js';
import { parseModule, precedenceOf } from './parse-code.js';
import { isHugged, printComments, printParameters, printType, printTypeArguments } from './print-types.js';
import { printDoc, type WidthOf } from './print-doc.js';
import { UnknownCode } from './code-scanner.js';
import {
  canBreak,
  conditionalGroup,
  fill,
  group,
  hardline,
  ifBreak,
  indent,
  join,
  line,
  literalline,
  softline,
  willBreak,
  type Doc,
  type GroupId,
} from './doc.js';

const options = { printWidth: 100, tabWidth: 2 };

/** The text as prettier formats it; undefined where it has code that is not known. */
export function printCode(text: string, widthOf: WidthOf): string | undefined {
  try {
    const doc = [printStatements(parseModule(text)), hardline];
    const printed = printDoc(doc, options.printWidth, widthOf);
    return isSameText(text, printed) ? printed : undefined;
  } catch (error) {
    if (error instanceof UnknownCode) return undefined;
    throw error;
  }
}

/** Whether nothing is lost or added but the spaces and signs of a layout. */
function isSameText(one: string, other: string): boolean {
  return one.replaceAll(layout, '') === other.replaceAll(layout, '');
}

const layout = /[\s(),;|'"\\]+/g;

function printStatements(statements: readonly Statement[]): Doc {
  return statements.map((statement, index): Doc => {
    const before = index === 0 ? '' : [hardline, statement.isAfterBlank ? hardline : ''];
    return [before, printComments(statement), printStatement(statement)];
  });
}

function printStatement(statement: Statement): Doc {
  switch (statement.kind) {
    case 'import': {
      const { names, isType, from } = statement;
      const [only, ...others] = names;
      if (only === undefined) throw new UnknownCode();
      const listed: Doc =
        others.length === 0
          ? `{ ${only} }`
          : group(['{', indent([line, join([',', line], [...names])]), ifBreak(','), line, '}']);
      return [isType ? 'import type ' : 'import ', listed, ' from ', from, ';'];
    }
    case 'variable': {
      const { isExported, word, target, type, value } = statement;
      const left: Doc = [printTarget(target), type === undefined ? '' : [': ', printType(type)]];
      const assigned = printAssignment({
        left,
        operator: ' =',
        right: value,
        target,
        type,
        parent: 'variable',
      });
      return [isExported ? 'export ' : '', group([`${word} `, assigned, ';'])];
    }
    case 'type': {
      const { isExported, name, type } = statement;
      return [isExported ? 'export ' : '', printAlias(name, type), ';'];
    }
    case 'function': {
      const { isExported, isAsync, name, parameters, type, body } = statement;
      if (type?.kind === 'fields') throw new UnknownCode();
      const returned: Doc = type === undefined ? '' : [': ', printType(type)];
      if (parameters.length === 1 && willBreak(returned)) throw new UnknownCode();
      return [
        `${isExported ? 'export ' : ''}${isAsync ? 'async ' : ''}function ${name}`,
        group([printParameters(parameters, printParameter), returned]),
        ' ',
        printBlock(body, true),
      ];
    }
    case 'if':
      return printIf(statement);
    case 'for': {
      const { isAwait, target, list, body } = statement;
      const head = [`for ${isAwait ? 'await ' : ''}(const `, printTarget(target), ' of '];
      return group([head, printCodeIn(list, 'for'), ') ', printBlock(body)]);
    }
    case 'return':
    case 'throw': {
      const { kind, value } = statement;
      if (value === undefined) return `${kind};`;
      const code = printCodeIn(value, 'return');
      if (value.kind !== 'binary') return [`${kind} `, code, ';'];
      return [`${kind} `, group([ifBreak('('), indent([softline, code]), softline, ifBreak(')')]), ';'];
    }
    case 'break':
    case 'continue':
      return `${statement.kind};`;
    case 'expression':
      return [printCodeIn(statement.value, 'statement'), ';'];
  }
}

function printAlias(name: string, type: Type): Doc {
  const left = `type ${name}`;
  if (type.kind === 'union' && !isHugged(type.types))
    return group([group(left), ' =', group(indent([line, printType(type, false)]))]);
  return printLayout('fluid', left, ' =', printType(type));
}

function printBlock({ statements }: Block, isOfFunction = false): Doc {
  if (statements.length === 0) {
    if (!isOfFunction) throw new UnknownCode();
    return '{}';
  }
  return ['{', indent([hardline, printStatements(statements)]), hardline, '}'];
}

function printIf({ test, then, otherwise }: Extract<Statement, { kind: 'if' }>): Doc {
  const condition = printCodeIn(test, 'if');
  const isInlined =
    test.kind === 'not' && isLogical(test.operand.kind === 'not' ? test.operand.operand : test.operand);
  const opening = group([
    'if (',
    isInlined ? condition : group([indent([softline, condition]), softline]),
    ')',
    printClause(then),
  ]);
  if (otherwise === undefined) return opening;
  if (then.kind !== 'block') throw new UnknownCode();
  return [
    opening,
    ' else',
    group(otherwise.kind === 'if' ? [' ', printIf(otherwise)] : printClause(otherwise)),
  ];
}

function printClause(clause: Block | Statement): Doc {
  return clause.kind === 'block' ? [' ', printBlock(clause)] : indent([line, printStatement(clause)]);
}

function printTarget(target: Code): Doc {
  return printCodeIn(target, 'target');
}

function printParameter({ target, type }: Parameter): Doc {
  return [printTarget(target), type === undefined ? '' : [': ', printType(type)]];
}

/** Where an expression stands, as far as its form depends on it. */
type Place =
  | 'statement'
  | 'variable'
  | 'assignment'
  | 'field'
  | 'return'
  | 'if'
  | 'for'
  | 'target'
  | 'argument'
  | 'element'
  | 'arrow'
  | 'template'
  | 'choice'
  | 'test'
  | 'held'
  | 'unary'
  | 'await'
  | 'spread'
  | 'object'
  | 'callee'
  | 'tag'
  | 'index'
  | 'binary';

/** An expression with the brackets that it needs where it stands. */
function printCodeIn(code: Code, place: Place, around?: Code, isRight = false): Doc {
  const printed = printExpression(code, place, around);
  return needsBrackets(code, place, around, isRight) ? ['(', printed, ')'] : printed;
}

function needsBrackets(code: Code, place: Place, around: Code | undefined, isRight: boolean): boolean {
  const isOperand = place === 'object' || place === 'callee' || place === 'tag';
  switch (code.kind) {
    case 'object':
      if (isOperand || place === 'statement' || place === 'test' || (place === 'binary' && !isRight))
        throw new UnknownCode();
      return place === 'arrow';
    case 'arrow':
      if (isOperand || place === 'binary' || place === 'test' || place === 'await' || place === 'unary')
        throw new UnknownCode();
      return false;
    case 'number':
    case 'minus':
    case 'not':
      if (isOperand) throw new UnknownCode();
      return false;
    case 'await':
      return isOperand || place === 'unary' || place === 'binary' || place === 'spread' || place === 'test';
    case 'choice':
      return (
        isOperand ||
        place === 'unary' ||
        place === 'binary' ||
        place === 'spread' ||
        place === 'await' ||
        place === 'test'
      );
    case 'assignment':
      if (code.left.kind === 'object') return place === 'statement';
      if (place !== 'statement') throw new UnknownCode();
      return false;
    case 'binary':
      if (isOperand || place === 'unary' || place === 'spread' || place === 'await') return true;
      if (place === 'choice' || place === 'test') return code.operator === '??';
      if (around?.kind !== 'binary') return false;
      if (isLogical(code) && isLogical(around)) return around.operator !== code.operator;
      return isLooser(around.operator, code.operator, isRight);
    default:
      return false;
  }
}

function isLooser(outer: string, inner: string, isRight: boolean): boolean {
  const [around, inside] = [precedenceOf(outer), precedenceOf(inner)];
  return around > inside || (around === inside && (isRight || !isFlattened(outer, inner)));
}

/** Operators of one precedence in a row are broken together, but for comparisons. */
function isFlattened(outer: string, inner: string): boolean {
  return precedenceOf(outer) === precedenceOf(inner) && precedenceOf(outer) !== 4;
}

function isLogical(code: Code): boolean {
  return code.kind === 'binary' && precedenceOf(code.operator) <= 3;
}

function printExpression(code: Code, place: Place, around?: Code): Doc {
  switch (code.kind) {
    case 'name':
    case 'number':
      return code.text;
    case 'text':
      return code.text;
    case 'import':
      if (place !== 'arrow') throw new UnknownCode();
      return `import(${code.from})`;
    case 'template':
      return printTemplate(code);
    case 'tagged':
      return [printCodeIn(code.tag, 'tag'), printTemplate(code.template)];
    case 'member':
      return printMember(code, place, around);
    case 'call':
      return printCall(code, place);
    case 'object':
      return printObject(code, place);
    case 'list':
      return printList(code.elements);
    case 'arrow':
      return printArrow(code, false);
    case 'not':
      return ['!', printCodeIn(code.operand, 'unary')];
    case 'minus':
      if (code.operand.kind !== 'number') throw new UnknownCode();
      return ['-', code.operand.text];
    case 'await': {
      // Prettier breaks the outer one first.
      if (beginsWithAwait(code.operand)) throw new UnknownCode();
      const parts: Doc = ['await ', printCodeIn(code.operand, 'await')];
      return place === 'object' || place === 'callee' ? group([indent([softline, parts]), softline]) : parts;
    }
    case 'spread':
      return ['...', printCodeIn(code.operand, 'spread')];
    case 'binary':
      return printBinary(code, place, around);
    case 'choice':
      return printChoice(code, place);
    case 'assignment': {
      const { left, right } = code;
      return printAssignment({
        left: printTarget(left),
        operator: ' =',
        right,
        target: left,
        parent: 'assignment',
      });
    }
  }
}

/** As in `await (await a).b()`. */
function beginsWithAwait(code: Code): boolean {
  switch (code.kind) {
    case 'await':
      return true;
    case 'member':
    case 'call':
      return beginsWithAwait(code.of);
    case 'tagged':
      return beginsWithAwait(code.tag);
    case 'binary':
      return beginsWithAwait(code.left);
    case 'choice':
      return beginsWithAwait(code.test);
    default:
      return false;
  }
}

/** A value in a template is never broken. */
function printTemplate({ texts, values }: Template): Doc {
  const parts = texts.map((text, index): Doc => {
    const value = values[index];
    return [join(literalline, text.split('\n')), value === undefined ? '' : ['${', flat(value), '}']];
  });
  return ['`', parts, '`'];
}

function flat(value: Code): string {
  const printed = printDoc(printCodeIn(value, 'template'), Infinity, ({ length }) => length);
  if (printed.includes('\n')) throw new UnknownCode();
  return printed;
}

function printMember(code: Member, place: Place, around: Code | undefined): Doc {
  const { of } = code;
  const object = printCodeIn(of, 'object', code);
  const isInMember = place === 'object' && around?.kind === 'member';
  // An assignment to a longer path has a form of its own.
  if (place === 'target') throw new UnknownCode();
  const isInlined =
    code.index !== undefined ||
    (of.kind === 'name' && !isInMember) ||
    ((place === 'variable' || place === 'assignment') &&
      (isMemberChain(of) || (of.kind === 'call' && of.passed.length > 0)));
  return [object, isInlined ? printLookup(code) : group(indent([softline, printLookup(code)]))];
}

function printLookup({ name, index, isOptional }: Member): Doc {
  if (index === undefined) return `${isOptional ? '?' : ''}.${name}`;
  const optional = isOptional ? '?.' : '';
  if (index.kind === 'number') return `${optional}[${index.text}]`;
  return group([optional, '[', indent([softline, printCodeIn(index, 'index')]), softline, ']']);
}

function printCall(code: Call, place: Place): Doc {
  const { of, types, passed, isNew } = code;
  const [only, ...others] = passed;
  if (only?.kind === 'template' || only?.kind === 'tagged') {
    const { texts } = only.kind === 'template' ? only : only.template;
    if (others.length === 0 && texts.some((text) => text.includes('\n'))) throw new UnknownCode();
  }
  if (of.kind === 'call') throw new UnknownCode();
  if (!isNew && of.kind === 'member') return printChain(code, place);
  return [isNew ? 'new ' : '', printCodeIn(of, 'callee'), printTypeArguments(types), printArguments(passed)];
}

interface Link {
  readonly code: Code;
  readonly print: () => Doc;
}

/** The parts of `a.b(c).d(e)`, and its groups: `a`, `.b(c)`, `.d(e)`. */
function groupsOf(call: Call): Link[][] {
  const links: Link[] = [];
  let code: Code = call;
  let around: Code = call;
  for (;;) {
    if (code.kind === 'call' && !code.isNew && (code === call || code.of.kind === 'member')) {
      const { types, passed } = code;
      links.unshift({ code, print: () => [printTypeArguments(types), printArguments(passed)] });
      code = code.of;
    } else if (code.kind === 'member') {
      const member = code;
      links.unshift({ code, print: () => printLookup(member) });
      around = code;
      code = code.of;
    } else {
      const [root, parent] = [code, around];
      links.unshift({ code, print: () => printCodeIn(root, 'object', parent) });
      break;
    }
  }
  const isNumbered = ({ code: one }: Link): boolean => one.kind === 'member' && one.index?.kind === 'number';
  const groups: Link[][] = [];
  let current = links.slice(0, 1);
  let next = 1;
  for (; next < links.length; next++) {
    const link = links[next];
    if (link === undefined || !(link.code.kind === 'call' || isNumbered(link))) break;
    current.push(link);
  }
  if (links[0]?.code.kind !== 'call')
    for (; next + 1 < links.length; next++) {
      const [link, following] = [links[next], links[next + 1]];
      if (link?.code.kind !== 'member' || following?.code.kind !== 'member') break;
      current.push(link);
    }
  groups.push(current);
  current = [];
  let isCalled = false;
  for (const link of links.slice(next)) {
    if (isCalled && link.code.kind === 'member' && !isNumbered(link)) {
      groups.push(current);
      current = [];
      isCalled = false;
    }
    if (link.code.kind === 'call') isCalled = true;
    current.push(link);
  }
  if (current.length > 0) groups.push(current);
  return groups;
}

function isFactory(name: string): boolean {
  return /^[A-Z]|^[$_]+$/.test(name);
}

/** Whether the first call stays beside what it is called on: a short or a capital name. */
function isMerged(groups: readonly Link[][], place: Place): boolean {
  const [first = [], second] = groups;
  if (second === undefined) return false;
  const isComputed = second[0]?.code.kind === 'member' && second[0].code.index !== undefined;
  const last = first.at(-1)?.code;
  if (first.length > 1)
    return last?.kind === 'member' && last.index === undefined && (isFactory(last.name) || isComputed);
  if (last?.kind !== 'name') return false;
  return (
    isFactory(last.text) || (place === 'statement' && last.text.length <= options.tabWidth) || isComputed
  );
}

/** Whether the chain may be broken before its dots. */
function isMemberChain(code: Code): boolean {
  if (code.kind !== 'call' || code.isNew || code.of.kind !== 'member') return false;
  const groups = groupsOf(code);
  return groups.length > (isMerged(groups, 'argument') ? 3 : 2);
}

function printChain(call: Call, place: Place): Doc {
  const groups = groupsOf(call);
  const merges = isMerged(groups, place);
  const printed = groups.map((links): Doc => links.map(({ print }) => print()));
  if (groups.length <= (merges ? 3 : 2)) return group(printed);
  const [first = '', second = '', ...others] = printed;
  const below = merges ? others : [second, ...others];
  const expanded: Doc = [
    first,
    merges ? second : '',
    below.length === 0 ? '' : indent([hardline, join(hardline, below)]),
  ];
  const calls = groups.flat().flatMap(({ code }) => (code.kind === 'call' ? [code] : []));
  const isComplex = calls.length > 2 && calls.some(({ passed }) => passed.some((one) => !isSimple(one, 2)));
  const hasFunctionsBefore =
    groups.at(-1)?.at(-1)?.code.kind === 'call' &&
    willBreak(printed.at(-1) ?? '') &&
    calls.slice(0, -1).some(({ passed }) => passed.some(({ kind }) => kind === 'arrow'));
  if (isComplex || printed.slice(0, -1).some(willBreak) || hasFunctionsBefore) return group(expanded);
  return conditionalGroup([printed], () => expanded, willBreak(printed));
}

/** An argument that a chain of calls may have on one line. */
function isSimple(code: Code, depth: number): boolean {
  if (depth <= 0) return false;
  const isInside = (one: Code): boolean => isSimple(one, depth - 1);
  switch (code.kind) {
    case 'name':
    case 'number':
    case 'text':
      return true;
    case 'template':
      return code.texts.every((text) => !text.includes('\n')) && code.values.every(isInside);
    case 'object':
      return code.fields.every(
        ({ key, value }) =>
          !(key?.startsWith('[') ?? false) &&
          value.kind !== 'spread' &&
          (key === undefined || isInside(value)),
      );
    case 'list':
      return code.elements.every(isInside);
    case 'call':
      return isSimple(code.of, depth) && code.passed.length <= depth && code.passed.every(isInside);
    case 'member':
      return isSimple(code.of, depth) && (code.index === undefined || isSimple(code.index, depth));
    case 'not':
    case 'minus':
      return isSimple(code.operand, depth);
    default:
      return false;
  }
}

function printArguments(passed: readonly Code[]): Doc {
  const last = passed.at(-1);
  if (last === undefined) return '()';
  const [first, second] = passed;
  const isBlockArrow = (code: Code | undefined): boolean =>
    code?.kind === 'arrow' && code.body.kind === 'block';
  // A hook of React, or a first function with a body.
  if (passed.length === 2 && isBlockArrow(first) && second?.kind !== 'arrow') throw new UnknownCode();
  const head = passed.slice(0, -1).map((code): Doc => [printCodeIn(code, 'argument'), ',', line]);
  const listed = (): Doc[] => [...head, printCodeIn(last, 'argument')];
  const all = (): Doc => group(['(', indent([line, ...listed()]), ifBreak(','), line, ')'], true);
  if (isComposition(passed)) return all();
  if (!isExpanded(passed, last)) {
    const docs = listed();
    const contents = ['(', indent([softline, ...docs]), ifBreak(','), softline, ')'];
    return group(contents, docs.some(willBreak));
  }
  if (head.some(willBreak)) return all();
  const expanded = last.kind === 'arrow' ? printArrow(last, true) : printCodeIn(last, 'argument');
  const broken = ['(', ...head, group(expanded, true), ')'];
  if (willBreak(expanded)) return conditionalGroup([broken], all, true);
  return conditionalGroup([['(', ...head, expanded, ')'], broken], all);
}

/** Several functions as arguments: each on lines of its own. */
function isComposition(passed: readonly Code[]): boolean {
  if (passed.length < 2) return false;
  const functions = passed.filter(({ kind }) => kind === 'arrow').length;
  return (
    functions > 1 ||
    passed.some((code) => code.kind === 'call' && code.passed.some(({ kind }) => kind === 'arrow'))
  );
}

/** Whether the brackets of the call stay beside its last argument, which is broken inside. */
function isExpanded(passed: readonly Code[], last: Code): boolean {
  const before = passed.at(-2);
  if (!isExpandable(last) || before?.kind === last.kind) return false;
  if (passed.length === 2 && before?.kind === 'arrow' && last.kind === 'list') return false;
  return !(passed.length > 1 && last.kind === 'list' && isConcise(last.elements));
}

function isExpandable(code: Code): boolean {
  if (code.kind === 'object') return code.fields.length > 0;
  if (code.kind === 'list') return code.elements.length > 0;
  if (code.kind !== 'arrow') return false;
  if (code.body.kind === 'arrow') throw new UnknownCode();
  return ['block', 'object', 'list', 'choice', 'call'].includes(code.body.kind);
}

function isConcise(elements: readonly Code[]): boolean {
  return elements.length > 0 && elements.every(({ kind }) => kind === 'number' || kind === 'minus');
}

function printArrow({ isAsync, parameters, type, body }: Arrow, isLast: boolean): Doc {
  const signature = group(printParameters(parameters, printParameter, isLast));
  const returned: Doc = type === undefined ? '' : [': ', printType(type)];
  const head = group([isAsync ? 'async ' : '', signature, returned]);
  if (body.kind === 'arrow') throw new UnknownCode();
  const code = body.kind === 'block' ? printBlock(body, true) : printCodeIn(body, 'arrow');
  const end = isLast ? [ifBreak(','), softline] : '';
  if (body.kind === 'choice') {
    const choice = [ifBreak('', '('), indent([softline, code]), ifBreak('', ')'), end];
    return group([head, ' =>', group([' ', group(choice)])]);
  }
  const isBeside =
    ['block', 'object', 'list'].includes(body.kind) ||
    ((body.kind === 'template' || body.kind === 'tagged') && willBreak(code));
  return group([head, ' =>', group(isBeside ? [' ', code] : [indent([line, code]), end])]);
}

function printObject({ fields, isLong }: ObjectCode, place: Place): Doc {
  if (fields.length === 0) return '{}';
  const printed = fields.map((field, index): Doc => {
    const before = index === 0 ? '' : [',', line, field.isAfterBlank ? hardline : ''];
    return [before, group([printComments(field), printField(field)])];
  });
  const content = ['{', indent([line, ...printed]), ifBreak(','), line, '}'];
  return place === 'target' ? content : group(content, isLong);
}

function printField({ key, value }: Field): Doc {
  if (key === undefined) return printCodeIn(value, 'field');
  return printAssignment({ left: key, operator: ':', right: value, parent: 'field' });
}

function printList(elements: readonly Code[]): Doc {
  if (elements.length === 0) return '[]';
  const sizes = elements.map((one) =>
    one.kind === 'list' ? one.elements.length : one.kind === 'object' ? one.fields.length : 0,
  );
  const isTable =
    elements.length > 1 &&
    elements.every(({ kind }, index) => kind === elements[0]?.kind && (sizes[index] ?? 0) > 1);
  const printed = elements.map((one): Doc => printCodeIn(one, 'element'));
  if (isConcise(elements)) {
    const id: GroupId = { isBroken: false };
    const items = printed.map((doc, index): Doc => [
      doc,
      index === printed.length - 1 ? ifBreak(',', '', id) : ',',
    ]);
    return group(['[', indent([softline, fill(items)]), softline, ']'], false, id);
  }
  const listed = printed.map((doc, index): Doc =>
    index === printed.length - 1 ? group(doc) : [group(doc), ',', line],
  );
  return group(['[', indent([softline, listed, ifBreak(',')]), softline, ']'], isTable);
}

/** `a && {…}` and `a ?? []` stay on one line. */
function isInlinedLogical(code: Code): boolean {
  if (code.kind !== 'binary' || !isLogical(code)) return false;
  const { right } = code;
  return (
    (right.kind === 'object' && right.fields.length > 0) ||
    (right.kind === 'list' && right.elements.length > 0)
  );
}

function printBinary(code: Extract<Code, { kind: 'binary' }>, place: Place, around: Code | undefined): Doc {
  const parts = printOperands(code, place, around);
  if (place === 'if') return parts;
  const isIndexed = around?.kind === 'member' && around.index !== undefined;
  if (place === 'unary' || (place === 'object' && !isIndexed) || place === 'callee')
    return group([indent([softline, ...parts]), softline]);
  const isPlain = ['return', 'arrow', 'choice', 'test', 'template'].includes(place);
  const isAssigned = ['variable', 'assignment', 'field'].includes(place);
  const isSame = code.left.kind === 'binary' && isFlattened(code.operator, code.left.operator);
  const isInlined = isInlinedLogical(code);
  if (isInlined && isSame) throw new UnknownCode();
  if (isPlain || isInlined || isAssigned) return group(parts);
  const first = parts.findIndex(
    (part) => typeof part === 'object' && 'kind' in part && part.kind === 'group',
  );
  const head = parts.slice(0, first === -1 ? 1 : first + 1);
  return group([...head, indent(parts.slice(head.length))]);
}

/** The operands of all operators of one precedence in a row. */
function printOperands(
  code: Extract<Code, { kind: 'binary' }>,
  place: Place,
  around: Code | undefined,
): Doc[] {
  const { left, operator, right } = code;
  const isFlat =
    left.kind === 'binary' &&
    isFlattened(operator, left.operator) &&
    !needsBrackets(left, 'binary', code, false);
  const parts = isFlat ? printOperands(left, place, code) : [group(printCodeIn(left, 'binary', code))];
  const rightDoc = printCodeIn(right, 'binary', code, true);
  const written: Doc = isInlinedLogical(code) ? [operator, ' ', rightDoc] : [operator, line, rightDoc];
  const isAlike = (one: Code | undefined): boolean =>
    one?.kind === 'binary' && isLogical(one) === isLogical(code);
  const isGrouped = !(place === 'if' && isLogical(code)) && ![around, left, right].some(isAlike);
  return [...parts, ' ', isGrouped ? group(written) : written];
}

function printChoice({ test, yes, no }: Extract<Code, { kind: 'choice' }>, place: Place): Doc {
  if (
    [test, yes, no].some(({ kind }) => kind === 'choice') ||
    place === 'object' ||
    place === 'callee' ||
    place === 'test'
  )
    throw new UnknownCode();
  const isHeld = place === 'return' || place === 'argument';
  const branch = (code: Code): Doc => indent(printPart(code, 'choice', isHeld));
  return group([printPart(test, 'test', isHeld), indent([line, '? ', branch(yes), line, ': ', branch(no)])]);
}

/** A part of a choice. Behind `return`, and among the arguments of a call, the further operands of one are indented. */
function printPart(code: Code, place: 'choice' | 'test', isHeld: boolean): Doc {
  if (code.kind !== 'binary' || !isHeld) return printCodeIn(code, place);
  const printed = printBinary(code, 'held', undefined);
  return needsBrackets(code, place, undefined, false) ? ['(', printed, ')'] : printed;
}

interface Assigned {
  readonly left: Doc;
  readonly operator: string;
  readonly right: Code | undefined;
  readonly parent: 'variable' | 'assignment' | 'field';
  readonly target?: Code;
  readonly type?: Type | undefined;
}

function printAssignment(assigned: Assigned): Doc {
  const { left, operator, right, parent } = assigned;
  if (right === undefined) return left;
  if (right.kind === 'assignment') throw new UnknownCode();
  // Prettier may break the brackets before it breaks the line.
  if (endsInBrackets(right)) throw new UnknownCode();
  return printLayout(layoutOf(assigned, right), left, operator, printCodeIn(right, parent));
}

/** As `!a[(row) => row.id]` does, but not `a[0]`. */
function endsInBrackets(code: Code): boolean {
  if (code.kind === 'not' || code.kind === 'await') return endsInBrackets(code.operand);
  return code.kind === 'member' && code.index !== undefined && !isSimple(code.index, 2);
}

type Layout = 'break-after' | 'never-break' | 'break-left' | 'fluid';

function layoutOf({ left, parent, target, type }: Assigned, right: Code): Layout {
  const breaksLeft = canBreak(left);
  if (target !== undefined && isComplexTarget(target, parent)) return 'break-left';
  if (
    type?.kind === 'reference' &&
    type.types.length > 1 &&
    type.types.some((one) => one.kind === 'reference' && one.types.length > 0)
  )
    return 'break-left';
  if (parent === 'variable' && right.kind === 'arrow' && breaksLeft) return 'break-left';
  const isShortKey = parent === 'field' && typeof left === 'string' && left.length < options.tabWidth + 3;
  if (breaksAfter(right, isShortKey)) return 'break-after';
  if (
    !breaksLeft &&
    (isShortKey || ['template', 'tagged', 'number'].includes(right.kind) || isBoolean(right))
  )
    return 'never-break';
  return 'fluid';
}

function isComplexTarget(target: Code, parent: Assigned['parent']): boolean {
  return (
    parent !== 'field' &&
    target.kind === 'object' &&
    target.fields.length > 2 &&
    target.fields.some(({ key }) => key !== undefined)
  );
}

function isBoolean(code: Code): boolean {
  return code.kind === 'name' && (code.text === 'true' || code.text === 'false');
}

function breaksAfter(right: Code, isShortKey: boolean): boolean {
  if (right.kind === 'binary' && !isInlinedLogical(right)) return true;
  if (right.kind === 'choice') return right.test.kind === 'binary' && !isInlinedLogical(right.test);
  if (isShortKey) return false;
  let code: Code = right;
  while (code.kind === 'not' || code.kind === 'minus' || code.kind === 'await') code = code.operand;
  return code.kind === 'text' || isPoorlyBreakable(code, false);
}

/** A chain without calls, or whose calls have no argument or one short one: it is not broken inside. */
function isPoorlyBreakable(code: Code, isInside: boolean): boolean {
  if (code.kind === 'member') return isPoorlyBreakable(code.of, true);
  if (code.kind !== 'call' || code.isNew) return isInside && code.kind === 'name';
  if (isMemberChain(code)) return false;
  const [only, ...others] = code.passed;
  if (only !== undefined && (others.length > 0 || !isShort(only))) return false;
  const [type] = code.types;
  if (code.types.length > 1 || type?.kind === 'union' || type?.kind === 'fields') return false;
  return isPoorlyBreakable(code.of, true);
}

function isShort(code: Code): boolean {
  const most = options.printWidth / 4;
  switch (code.kind) {
    case 'name':
      return code.text.length <= most;
    case 'text':
      return code.text.length <= most;
    case 'number':
      return true;
    case 'template':
      return (
        code.values.length === 0 && (code.texts[0] ?? '').length <= most && !code.texts[0]?.includes('\n')
      );
    case 'not':
    case 'minus':
      return isShort(code.operand);
    case 'call':
      return (
        !code.isNew && code.passed.length === 0 && code.of.kind === 'name' && code.of.text.length <= most - 2
      );
    default:
      return false;
  }
}

function printLayout(layout: Layout, left: Doc, operator: string, right: Doc): Doc {
  switch (layout) {
    case 'break-after':
      return group([group(left), operator, group(indent([line, right]))]);
    case 'never-break':
      return group([group(left), operator, ' ', right]);
    case 'break-left':
      return group([left, operator, ' ', group(right)]);
    case 'fluid': {
      const id: GroupId = { isBroken: false };
      return group([group(left), operator, group(indent(line), false, id), indent(right, id)]);
    }
  }
}
