/**
 * Parameters for which PostgreSQL would assume a wrong type or none: known numbers get a cast; for other values, the author must write the
 * type.
 */
import { isInnerColumn, isInsertList, isListed } from '../facts/listed.js';
import {
  day,
  integer,
  number,
  string,
  timestamp,
  truth,
  untypedCalls,
  type Choice,
  type UntypedCall,
} from './untyped-calls.js';
import type { KindOf, ValueKind } from '../facts/value-kind.js';
import { wordSet } from '../../wordset.js';
import {
  ancestors,
  unwrapped,
  wrapped,
  type Call,
  type Operation,
  type Placeholder,
  type SqlNode,
  type SqlTree,
} from '../parse/tree.js';
import { builtIn } from './cast.js';

/** A placeholder whose type must be written by the author. */
export interface Untyped {
  readonly placeholder: Placeholder;
  /** The position of the placeholder, for the message: `substring( … )`. */
  readonly where: string;
  /** True if the server silently assumes text; otherwise it refuses the statement. */
  readonly isSilent: boolean;
  readonly choices: readonly Choice[];
  /** True if text is a plausible type, so that the diagnostic is only a warning. */
  readonly isLikelyText?: boolean;
}

/** A column of a nested query that an outer query compares or uses in calculations. */
const column: Omit<Untyped, 'placeholder'> = {
  where: 'as a column',
  isSilent: true,
  choices: [integer, string, day],
  isLikelyText: true,
};

export interface Typing {
  /** The casts to add. */
  readonly casts: ReadonlyMap<Placeholder, string>;
  readonly untyped: readonly Untyped[];
}

/** Operands of which at least one must have a type. */
interface Group extends Omit<Untyped, 'placeholder'> {
  readonly members: readonly SqlNode[];
  /** True if an unknown type is acceptable: a cast is added only if all values are known numbers. */
  readonly isOptional?: boolean | undefined;
  /** True if text is equally plausible: nothing is reported, and casts are added only if no operand is a string. */
  readonly isQuiet?: boolean | undefined;
}

export function typingOf(tree: SqlTree, kindOf: KindOf): Typing {
  const casts = new Map<Placeholder, string>();
  const untyped = new Map<Placeholder, Untyped>();
  /** Operands of calls whose types have already been decided together. */
  const decided = new Set<SqlNode>();
  const isRecursive = tree.nodes.some((node) => node.kind === 'query' && node.isRecursive);
  const kindAt = ({ expression }: Placeholder): ValueKind | undefined => expression && kindOf(expression);
  for (const placeholder of tree.nodes) {
    if (placeholder.kind !== 'placeholder' || decided.has(placeholder)) continue;
    if (casts.has(placeholder) || untyped.has(placeholder)) continue;
    const operand = wrapped(placeholder);
    if (operand.parent?.kind === 'cast') continue;
    const kind = kindAt(placeholder);
    if (kind === undefined && isComparedDefault(operand, tree)) {
      casts.set(placeholder, 'bigint');
      continue;
    }
    const whole = arrayGroup(operand) ?? resultGroup(operand) ?? callGroup(operand, tree);
    for (const member of whole?.members ?? []) decided.add(unwrapped(member));
    const group = whole ?? operatorGroup(operand, tree, kind) ?? caseGroup(operand);
    if (group !== undefined) typeGroup(group, tree, kindAt, casts, untyped);
    else {
      if (kind === 'text' || !isListed(operand) || isInsertList(operand)) continue;
      if (kind !== undefined) casts.set(placeholder, kind);
      else if (isInnerColumn(operand, isRecursive)) untyped.set(placeholder, { placeholder, ...column });
    }
  }
  return { casts, untyped: [...untyped.values()] };
}

function typeGroup(
  group: Group,
  tree: SqlTree,
  kindAt: (placeholder: Placeholder) => ValueKind | undefined,
  casts: Map<Placeholder, string>,
  untyped: Map<Placeholder, Untyped>,
): void {
  const { where, isSilent, choices, isOptional, isQuiet } = group;
  const members = group.members.filter((member) => isQuiet !== true || !isNull(member, tree));
  const found = members.flatMap((member) => {
    const inner = unwrapped(member);
    return inner.kind === 'placeholder' ? [inner] : [];
  });
  const isTyped = members.some(
    (member) => member.kind !== 'string' && unwrapped(member).kind !== 'placeholder',
  );
  if (isTyped) return;
  const known = found.flatMap((one) => {
    const type = typeFor(kindAt(one), choices);
    return type === undefined ? [] : [[one, type] as const];
  });
  if (isOptional === true && known.length < members.length) return;
  // A single operand of another type (a string, or a boolean among numbers) decides the type of all.
  const isMixed =
    found.length < members.length ||
    found.some((one) => kindAt(one) !== undefined && !known.some(([other]) => other === one)) ||
    new Set(known.map(([, type]) => type === 'boolean')).size > 1;
  if (isQuiet === true && isMixed) return;
  for (const [one, type] of known) casts.set(one, type);
  // A string constant, or only string values, show that text is intended.
  const isText = found.length < members.length || found.every((one) => kindAt(one) === 'text');
  const [first] = found;
  if (first === undefined || known.length > 0 || isOptional === true || isQuiet === true) return;
  if (isSilent && isText) return;
  untyped.set(first, { placeholder: first, where, isSilent, choices });
}

const numberKinds = new Set<string>(['int', 'bigint', 'numeric']);

function isNull({ kind, first }: SqlNode, { items }: SqlTree): boolean {
  return kind === 'word' && items[first]?.word === 'NULL';
}

/** The cast for a value of that kind, if one of the choices allows it. */
function typeFor(kind: ValueKind | undefined, choices: readonly Choice[]): string | undefined {
  if (kind === undefined || kind === 'text') return undefined;
  const types = new Set(choices.map(({ type }) => type));
  if (types.has('numeric') && numberKinds.has(kind)) return kind;
  if (kind === 'boolean' && types.has('boolean')) return kind;
  if (types.has('int') && (kind === 'int' || kind === 'bigint')) return 'int';
  if (kind === 'date' && (types.has('date') || types.has('timestamp'))) return kind;
  if (kind === 'timestamptz' && (types.has('timestamp') || types.has('date'))) return kind;
  return undefined;
}

const alternatives = { isSilent: true, choices: [number, truth], isQuiet: true };

/** `ARRAY[:[a], :[b]]`: without a typed element, the server assumes an array of text. */
function arrayGroup({ parent }: SqlNode): Group | undefined {
  if (parent?.kind !== 'array') return undefined;
  return { members: parent.elements, where: 'in an array', ...alternatives };
}

/** `CASE WHEN … THEN :[a] ELSE :[b] END`: without a typed result, the server assumes text. */
function resultGroup(operand: SqlNode): Group | undefined {
  const { parent } = operand;
  if (parent?.kind !== 'case' || !parent.values.includes(operand)) return undefined;
  return { members: parent.values, where: 'as a value of CASE', ...alternatives };
}

function callGroup(operand: SqlNode, tree: SqlTree): Group | undefined {
  const call = operand.parent;
  if (call?.kind !== 'call' || call.modifiers.length > 0) return undefined;
  const name = builtIn(call, tree);
  const where = `${name.toLowerCase()}( … )`;
  const all = call.arguments;
  const at = all.indexOf(operand);
  if (name === 'EXTRACT') {
    const choices = [{ ...timestamp, meaning: '' }];
    return call.separators[at] === 'FROM'
      ? { members: [operand], where, isSilent: false, choices }
      : undefined;
  }
  // The arguments of `substring(a SIMILAR b ESCAPE c)` are always strings.
  if (!call.separators.every((one) => plainSeparators.has(one))) return undefined;
  const forms = Object.hasOwn(untypedCalls, name) ? untypedCalls[name] : undefined;
  const form = forms?.find(({ count }) => count === undefined || count === all.length);
  if (form === undefined || at === -1 || !isMember(form, at)) return undefined;
  const members = all.filter((_, index) => isMember(form, index));
  const { isSilent, choices, isOptional, isQuiet } = form;
  return { members, where, isSilent, choices, isOptional, isQuiet };
}

const plainSeparators = new Set(['', ',', 'FROM', 'FOR']);

const choosing = wordSet('COALESCE NULLIF GREATEST LEAST');

/**
 * `id > coalesce(:[after], 0)`: the constant would make the value a 32-bit integer, although the compared column may be bigint. Applies
 * only to comparisons, because other uses of the result may require a 32-bit integer.
 */
function isComparedDefault({ parent: call }: SqlNode, tree: SqlTree): boolean {
  if (call?.kind !== 'call' || !choosing.has(builtIn(call, tree))) return false;
  const others = call.arguments.filter((one) => unwrapped(one).kind !== 'placeholder');
  if (others.length === 0 || !others.every((one) => isWholeNumber(one, tree))) return false;
  const { parent } = call;
  return parent?.kind === 'operation' && (orders.has(parent.operator) || equalities.has(parent.operator));
}

/** True for `7` and `-7`. */
function isWholeNumber(node: SqlNode, { items }: SqlTree): boolean {
  const isNegative = node.kind === 'operation' && node.isPrefix && node.operator === '-';
  const number = isNegative ? node.operands[0] : node;
  return number?.kind === 'number' && /^\d+$/.test(items[number.first]?.token.text ?? '');
}

function isMember({ members }: UntypedCall, at: number): boolean {
  return members.length === 0 || members.includes(at);
}

const key: Choice = { type: 'text', meaning: ' for a key' };
const position: Choice = { type: 'int', meaning: ' for an index' };
const days: Choice = { type: 'int', meaning: ' for days' };
const interval: Choice = { type: 'interval', meaning: ' for an interval' };
const pointInTime: Choice = { type: 'timestamptz', meaning: ' for a timestamp' };
const json: Choice = { type: 'jsonb', meaning: '' };
const numbers: readonly Choice[] = [
  { type: 'int', meaning: ' for an integer' },
  { type: 'numeric', meaning: ' for any number' },
];

const arithmetic = new Set(['+', '-', '*', '/', '%']);
const orders = new Set(['<', '>', '<=', '>=']);
const equalities = new Set(['=', '<>', '!=']);
const jsonOperators = new Set(['->', '->>', '#>', '#>>', '@>', '@?', '?', '?|', '?&']);

function operatorGroup(operand: SqlNode, tree: SqlTree, kind: ValueKind | undefined): Group | undefined {
  const { parent } = operand;
  if (parent?.kind !== 'operation') return undefined;
  // `day - :[n] * interval '1 day'`: the value belongs to the operation that is evaluated first.
  if (kind === 'numeric' && calculatesOtherwise(operand, parent, tree)) {
    const choices = [number];
    return { members: [operand], where: 'in a calculation', isSilent: true, choices, isOptional: true };
  }
  const { operator, operands } = parent;
  if (operands[0] === operand && !parent.isPrefix) return pairGroup(operand, parent);
  const where = `beside ${operator}`;
  const members = [operand];
  if (operator === '->' || operator === '->>')
    return { members, where, isSilent: true, choices: [position, key] };
  if (parent.isPrefix) {
    if (operator === '-') return { members, where: 'after a minus', isSilent: false, choices: numbers };
    const isPlus = operator === '+';
    return isPlus
      ? { members, where: 'after a plus', isSilent: true, choices: numbers, isOptional: true }
      : undefined;
  }
  if (operator !== '-' && operator !== '+') return undefined;
  const type = lastType(operands[0], tree);
  if (type === 'date') {
    const choices = operator === '-' ? [days, day, interval] : [days, interval];
    return { members, where, isSilent: false, choices };
  }
  if (operator === '-' && type === 'jsonb')
    return { members, where, isSilent: true, choices: [position, key] };
  // A constant is a number, whatever the type of the column: `tags - 1` for jsonb, `day - 1`.
  if (operator !== '-' || kind !== 'int') return undefined;
  return { members, where, isSilent: false, choices: [position], isOptional: true };
}

/**
 * Whether a decimal value needs a cast to numeric, because the server assumes an integer next to an integer. True for divisions (7 / 2.0 is
 * 3.5), and next to a constant (`:[amount] * 100`), where no column suggests an integer. False inside functions that may accept only
 * integers.
 */
function calculatesOtherwise(
  operand: SqlNode,
  { operator, operands, isPrefix }: Operation,
  tree: SqlTree,
): boolean {
  if (isPrefix) return false;
  if (operator === '/') return true;
  const isBeside = operands.some((other) => other !== operand && other.kind === 'number');
  return arithmetic.has(operator) && isBeside && acceptsDecimals(operand, tree);
}

const ofDecimals = wordSet(
  'ROUND TRUNC ABS SIGN CEIL CEILING FLOOR SUM AVG MIN MAX COALESCE NULLIF GREATEST LEAST',
);

/** Whether all surrounding functions are known to accept decimal numbers. */
function acceptsDecimals(node: SqlNode, tree: SqlTree): boolean {
  for (const around of ancestors(node)) {
    if (around.kind === 'query') return true;
    if (around.kind === 'call' && !ofDecimals.has(tree.items[around.name.last]?.word ?? '')) return false;
  }
  return true;
}

/** Comparisons and arithmetic with `operand` as the left side. */
function pairGroup(operand: SqlNode, { operator, operands }: Operation): Group | undefined {
  const [, right] = operands;
  if (operator === 'BETWEEN') {
    const choices = [number, string, day];
    return { members: operands, where: 'with BETWEEN', isSilent: true, choices };
  }
  if (right === undefined) return undefined;
  const members = [operand, right];
  const where = `beside ${operator}`;
  if (jsonOperators.has(operator)) return { members, where, isSilent: false, choices: [json] };
  if (orders.has(operator)) return { members, where, isSilent: true, choices: [number, string, day] };
  if (equalities.has(operator))
    return { members, where, isSilent: true, choices: [number], isOptional: true };
  // Next to an interval, the server assumes that a parameter is an interval.
  if ((operator === '-' || operator === '+') && isInterval(right))
    return { members: [operand], where, isSilent: false, choices: [pointInTime, day, interval] };
  if (!arithmetic.has(operator)) return undefined;
  return { members, where, isSilent: false, choices: numbers };
}

/** True for `interval '1 day'`, `'1 day'::interval`, and calculations with intervals. */
function isInterval(node: SqlNode): boolean {
  if (node.kind === 'operation' && !node.isPrefix)
    return node.operands[0] !== undefined && isInterval(node.operands[0]);
  const isOfString = (node.kind === 'typed' || node.kind === 'cast') && node.value.kind === 'string';
  return isOfString && node.type.name === 'INTERVAL';
}

const jsonFunctions = /^(?:JSONB_|TO_JSONB$)/;

/** The type of the left side, if its last operand determines it. */
function lastType(node: SqlNode | undefined, tree: SqlTree): 'date' | 'jsonb' | undefined {
  switch (node?.kind) {
    case 'operation':
      return lastType(node.operands.at(-1), tree);
    case 'cast':
      return node.isFunction ? undefined : typeNamed(node.type.name);
    case 'typed':
      return node.type.name === 'DATE' ? 'date' : undefined;
    case 'word':
      return tree.items[node.first]?.word === 'CURRENT_DATE' ? 'date' : undefined;
    case 'call':
      return jsonFunctions.test(lastWord(node, tree)) ? 'jsonb' : undefined;
    default:
      return undefined;
  }
}

function typeNamed(name: string): 'date' | 'jsonb' | undefined {
  if (name === 'DATE') return 'date';
  return name === 'JSONB' ? 'jsonb' : undefined;
}

function lastWord({ name }: Call, { items }: SqlTree): string {
  return items[name.last]?.word ?? '';
}

/** `CASE :[x] WHEN 1`: the server would compare text with a number. */
function caseGroup(operand: SqlNode): Group | undefined {
  const { parent } = operand;
  if (parent?.kind !== 'case' || parent.operand !== operand || parent.conditions[0]?.kind !== 'number')
    return undefined;
  const choices = [{ ...integer, meaning: '' }];
  return { members: [operand], where: 'after CASE', isSilent: false, choices };
}
