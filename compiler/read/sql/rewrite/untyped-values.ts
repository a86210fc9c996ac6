/**
 * Parameters to which PostgreSQL would assign a wrong type, or none: those that are certainly numbers get a cast, for the others the author
 * must write the type (decisions 11.1).
 */
import { caseAround } from '../parse/case-branches.js';
import { isInnerColumn, isInsertList, isListed, unionsOf } from '../parse/listed.js';
import {
  argumentsOf,
  callAround,
  elementsAround,
  endsOperand,
  groupedAt,
  isString,
  operatorAfter,
  operatorBefore,
  placeholderIn,
  type Stretch,
} from '../parse/operand.js';
import { openOf, type OutlineToken } from '../parse/outline.js';
import { bindsBefore } from '../parse/precedence.js';
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
import { wordSet } from '../lexer/word-set.js';

/** A placeholder whose type its author has to write. */
export interface Untyped {
  /** The index of its item. */
  readonly index: number;
  /** Where it is, for the message: `substring( … )`. */
  readonly where: string;
  /** True if the server uses text; else it refuses the statement. */
  readonly isSilent: boolean;
  readonly choices: readonly Choice[];
  /** True if text is well possible, so that this is only a warning. */
  readonly isLikelyText?: boolean;
}

/** A column of a query inside the statement, which is compared or calculated with further on. */
const column: Omit<Untyped, 'index'> = {
  where: 'as a column',
  isSilent: true,
  choices: [integer, string, day],
  isLikelyText: true,
};

export interface Typing {
  /** The casts to add, by the indexes of items. */
  readonly casts: ReadonlyMap<number, string>;
  readonly untyped: readonly Untyped[];
}

/** Operands of which one must have a type. */
interface Group extends Omit<Untyped, 'index'> {
  readonly members: readonly Stretch[];
  /** True where a value of unknown type is well as it is, and only known numbers get a cast: all of them, or none. */
  readonly isOptional?: boolean | undefined;
  /** True where a string is well possible, too: nothing is reported, and a string among them decides that all are. */
  readonly isQuiet?: boolean | undefined;
}

export function typingOf(items: readonly OutlineToken[], kindOf: KindOf): Typing {
  const casts = new Map<number, string>();
  const untyped = new Map<number, Untyped>();
  /** Arguments of calls whose types are decided for all of them together. */
  const decided = new Set<number>();
  const unions = unionsOf(items);
  const kindAt = (index: number): ValueKind | undefined => {
    const token = items[index]?.token;
    return token?.kind === 'placeholder' && token.expression !== undefined
      ? kindOf(token.expression)
      : undefined;
  };
  for (const [index, { token }] of items.entries()) {
    if (token.kind !== 'placeholder' || casts.has(index) || untyped.has(index) || decided.has(index))
      continue;
    const operand = groupedAt(items, index);
    if (items[operand.last + 1]?.word === '::') continue;
    if (kindAt(index) === undefined && isComparedDefault(items, operand)) {
      casts.set(index, 'bigint');
      continue;
    }
    const whole = arrayGroup(items, operand) ?? resultGroup(items, operand) ?? callGroup(items, operand);
    for (const member of whole?.members ?? []) decided.add(placeholderIn(items, member) ?? index);
    const group = whole ?? operatorGroup(items, operand, kindAt(index)) ?? caseGroup(items, operand);
    if (group !== undefined) typeGroup(items, group, kindAt, casts, untyped);
    else {
      const kind = kindAt(index);
      if (kind === 'text' || !isListed(items, operand) || isInsertList(items, index)) continue;
      if (kind !== undefined) casts.set(index, kind);
      else if (isInnerColumn(items, operand, unions)) untyped.set(index, { index, ...column });
    }
  }
  return { casts, untyped: [...untyped.values()] };
}

function typeGroup(
  items: readonly OutlineToken[],
  group: Group,
  kindAt: (index: number) => ValueKind | undefined,
  casts: Map<number, string>,
  untyped: Map<number, Untyped>,
): void {
  const { where, isSilent, choices, isOptional, isQuiet } = group;
  const members = group.members.filter((member) => isQuiet !== true || !isNull(items, member));
  const placeholders = members.map((member) => placeholderIn(items, member));
  const isTyped = members.some((member, at) => placeholders[at] === undefined && !isString(items, member));
  if (isTyped) return;
  const found = placeholders.filter((index) => index !== undefined);
  const known = found.flatMap((index) => {
    const type = typeFor(kindAt(index), choices);
    return type === undefined ? [] : [[index, type] as const];
  });
  if (isOptional === true && known.length < members.length) return;
  // One of another type decides: a string, or a boolean among numbers.
  const isMixed =
    found.length < members.length ||
    found.some((index) => kindAt(index) !== undefined && !known.some(([other]) => other === index)) ||
    new Set(known.map(([, type]) => type === 'boolean')).size > 1;
  if (isQuiet === true && isMixed) return;
  for (const [index, type] of known) casts.set(index, type);
  // A string beside them, and a value that is one, show that text is meant.
  const isText = found.length < members.length || found.every((index) => kindAt(index) === 'text');
  const [first] = found;
  if (first === undefined || known.length > 0 || isOptional === true || isQuiet === true) return;
  if (isSilent && isText) return;
  untyped.set(first, { index: first, where, isSilent, choices });
}

const numberKinds = new Set<string>(['int', 'bigint', 'numeric']);

function isNull(items: readonly OutlineToken[], { first, last }: Stretch): boolean {
  return first === last && items[first]?.word === 'NULL';
}

/** The cast for a value of that kind, if one of the choices accepts it. */
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

/** `ARRAY[:[a], :[b]]`: without a type among its elements it is an array of texts. */
function arrayGroup(items: readonly OutlineToken[], operand: Stretch): Group | undefined {
  const members = elementsAround(items, operand);
  return members && { members, where: 'in an array', ...alternatives };
}

/** `CASE WHEN … THEN :[a] ELSE :[b] END`: without a type among its values it is a text. */
function resultGroup(items: readonly OutlineToken[], { first, last }: Stretch): Group | undefined {
  const found = caseAround(items, first, last);
  return found && { members: found.branches, where: 'as a value of CASE', ...alternatives };
}

const substringSeparators = wordSet('FROM FOR');

function callGroup(items: readonly OutlineToken[], operand: Stretch): Group | undefined {
  const call = callAround(items, operand.first);
  if (call === undefined) return undefined;
  const { name, open } = call;
  const where = `${name.toLowerCase()}( … )`;
  if (name === 'EXTRACT' && items[operand.first - 1]?.word === 'FROM') {
    const isWhole = items[open]?.close === operand.last + 1;
    const choices = [{ ...timestamp, meaning: '' }];
    return isWhole ? { members: [operand], where, isSilent: false, choices } : undefined;
  }
  const forms = Object.hasOwn(untypedCalls, name) ? untypedCalls[name] : undefined;
  if (forms === undefined) return undefined;
  const listed = argumentsOf(items, open);
  const isWorded = name === 'SUBSTRING' && listed.length === 1;
  const all = isWorded ? argumentsOf(items, open, substringSeparators) : listed;
  const form = forms.find(({ count }) => count === undefined || count === all.length);
  const at = all.findIndex(({ first, last }) => first === operand.first && last === operand.last);
  if (form === undefined || at === -1 || !isMember(form, at)) return undefined;
  const members = all.filter((_, index) => isMember(form, index));
  const { isSilent, choices, isOptional, isQuiet } = form;
  return { members, where, isSilent, choices, isOptional, isQuiet };
}

const choosing = wordSet('COALESCE NULLIF GREATEST LEAST');

/**
 * `id > coalesce(:[after], 0)`: the constant would make the value an integer of 32 bits, and the column beside it may have more. Only where
 * it is compared: what else takes the result may accept 32 bits only.
 */
function isComparedDefault(items: readonly OutlineToken[], operand: Stretch): boolean {
  const call = callAround(items, operand.first);
  if (call === undefined || !choosing.has(call.name)) return false;
  const others = argumentsOf(items, call.open).filter((one) => placeholderIn(items, one) === undefined);
  if (others.length === 0 || !others.every((one) => isWholeNumber(items, one))) return false;
  const close = items[call.open]?.close ?? -1;
  const sides = [operatorBefore(items, call.open - 2).text, operatorAfter(items, close + 1).text].filter(
    (text) => text !== '',
  );
  const isCast = items[close + 1]?.word === '::';
  return !isCast && sides.length > 0 && sides.every((text) => orders.has(text) || equalities.has(text));
}

/** `7` and `-7`. */
function isWholeNumber(items: readonly OutlineToken[], { first, last }: Stretch): boolean {
  const from = items[first]?.word === '-' ? first + 1 : first;
  return from === last && /^\d+$/.test(items[last]?.token.text ?? '');
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

function operatorGroup(
  items: readonly OutlineToken[],
  operand: Stretch,
  kind: ValueKind | undefined,
): Group | undefined {
  const { text: left, before } = operatorBefore(items, operand.first - 1);
  const hasLeft = endsOperand(items[before]);
  // `day - :[n] * interval '1 day'`: the value belongs to what is calculated first.
  if (kind === 'numeric' && calculatesOtherwise(items, operand)) {
    const choices = [number];
    return { members: [operand], where: 'in a calculation', isSilent: true, choices, isOptional: true };
  }
  const isOfRight = hasLeft && bindsBefore(operatorAfter(items, operand.last + 1).text, left);
  if (left === '' || isOfRight) return pairGroup(items, operand);
  const where = `beside ${left}`;
  if (left === '->' || left === '->>')
    return { members: [operand], where, isSilent: true, choices: [position, key] };
  if (left === '-' && !hasLeft) {
    return { members: [operand], where: 'after a minus', isSilent: false, choices: numbers };
  }
  if (left === '+' && !hasLeft)
    return { members: [operand], where: 'after a plus', isSilent: true, choices: numbers, isOptional: true };
  if ((left === '-' || left === '+') && hasLeft) {
    const type = typeBefore(items, before);
    if (type === 'date') {
      const choices = left === '-' ? [days, day, interval] : [days, interval];
      return { members: [operand], where, isSilent: false, choices };
    }
    if (left === '-' && type === 'jsonb')
      return { members: [operand], where, isSilent: true, choices: [position, key] };
    // A constant is a number beside a column of any type: `tags - 1` of jsonb, `day - 1`.
    if (left === '-' && kind === 'int')
      return { members: [operand], where, isSilent: false, choices: [position], isOptional: true };
  }
  return hasLeft ? undefined : pairGroup(items, operand);
}

/**
 * Beside an integer the server takes a parameter for one. But 7 / 2.0 is 3.5, and beside a constant (`:[amount] * 100`) there is no column
 * whose type could be meant; what a function accepts may be integers only.
 */
function calculatesOtherwise(items: readonly OutlineToken[], operand: Stretch): boolean {
  const left = operatorBefore(items, operand.first - 1);
  const right = operatorAfter(items, operand.last + 1);
  const hasLeft = endsOperand(items[left.before]);
  if ((hasLeft && left.text === '/') || right.text === '/') return true;
  const isBeside = (text: string, other: number): boolean =>
    arithmetic.has(text) && items[other]?.token.kind === 'number';
  const isCalculated = (hasLeft && isBeside(left.text, left.before)) || isBeside(right.text, right.after);
  return isCalculated && acceptsDecimals(items, operand.first);
}

const ofDecimals = wordSet(
  'ROUND TRUNC ABS SIGN CEIL CEILING FLOOR SUM AVG MIN MAX COALESCE NULLIF GREATEST LEAST',
);

/** Whether no function around `index` is known to accept anything but decimal numbers. */
function acceptsDecimals(items: readonly OutlineToken[], index: number): boolean {
  for (let at = index; ;) {
    const open = items[at]?.parent ?? -1;
    if (open === -1 || items[open]?.opensStatement === true) return true;
    const called = items[open - 1];
    const isCall =
      called?.token.kind === 'quoted-name' || (called?.token.kind === 'word' && endsOperand(called));
    if (isCall && !ofDecimals.has(called.word)) return false;
    at = open;
  }
}

/** Comparisons and arithmetic of which this is the left side. */
function pairGroup(items: readonly OutlineToken[], operand: Stretch): Group | undefined {
  if (items[operand.last + 1]?.word === 'BETWEEN') return betweenGroup(items, operand);
  const { text, after } = operatorAfter(items, operand.last + 1);
  const right = operandAfter(items, after);
  if (text === '' || right === undefined) return undefined;
  const members = [operand, right];
  const where = `beside ${text}`;
  if (jsonOperators.has(text)) return { members, where, isSilent: false, choices: [json] };
  if (orders.has(text)) return { members, where, isSilent: true, choices: [number, string, day] };
  if (equalities.has(text)) return { members, where, isSilent: true, choices: [number], isOptional: true };
  // Beside an interval the server assumes that a parameter is an interval.
  if ((text === '-' || text === '+') && isInterval(items, right))
    return { members: [operand], where, isSilent: false, choices: [pointInTime, day, interval] };
  if (!arithmetic.has(text)) return undefined;
  return { members, where, isSilent: false, choices: numbers };
}

function betweenGroup(items: readonly OutlineToken[], operand: Stretch): Group | undefined {
  const low = operandAfter(items, operand.last + 2);
  if (low === undefined || items[low.last + 1]?.word !== 'AND') return undefined;
  const high = operandAfter(items, low.last + 2);
  if (high === undefined) return undefined;
  const choices = [number, string, day];
  return { members: [operand, low, high], where: 'with BETWEEN', isSilent: true, choices };
}

/** What can follow a whole operand of a comparison: anything that binds less. */
const afterOperand = wordSet(`
  ) , AND OR THEN ELSE END WHEN AS FROM WHERE GROUP ORDER HAVING LIMIT OFFSET UNION INTERSECT EXCEPT RETURNING ASC DESC FOR ON
  LEFT JOIN INNER RIGHT FULL CROSS NATURAL WINDOW FETCH NULLS
`);

/** The operand that begins at `index`: a placeholder, a string or parentheses alone, or more than that, which has a type. */
function operandAfter(items: readonly OutlineToken[], index: number): Stretch | undefined {
  const item = items[index];
  if (item === undefined) return undefined;
  const last = item.word === '(' && item.close !== -1 ? item.close : index;
  const after = items[last + 1];
  const isWhole = after === undefined || afterOperand.has(after.word);
  return { first: index, last: isWhole ? last : last + 1 };
}

/** True for `interval '1 day'` and `'1 day'::interval`. */
function isInterval(items: readonly OutlineToken[], { first }: Stretch): boolean {
  const [one, two] = [items[first], items[first + 1]];
  if (one?.word === 'INTERVAL') return two?.token.kind === 'literal';
  return one?.token.kind === 'literal' && two?.word === '::' && items[first + 2]?.word === 'INTERVAL';
}

const jsonFunctions = /^(?:JSONB_|TO_JSONB$)/;

/** The type of the expression that ends at `index`, if its last words show it. */
function typeBefore(items: readonly OutlineToken[], index: number): 'date' | 'jsonb' | undefined {
  const item = items[index];
  const before = items[index - 1]?.word;
  if (before === '::') {
    if (item?.word === 'DATE') return 'date';
    return item?.word === 'JSONB' ? 'jsonb' : undefined;
  }
  if (item?.word === 'CURRENT_DATE' && before !== '.') return 'date';
  if (item?.token.kind === 'literal' && before === 'DATE') return 'date';
  if (item?.word !== ')') return undefined;
  const name = items[openOf(items, index) - 1];
  return name?.token.kind === 'word' && jsonFunctions.test(name.word) ? 'jsonb' : undefined;
}

/** `CASE :[x] WHEN 1`: the server compares texts with a number. */
function caseGroup(items: readonly OutlineToken[], operand: Stretch): Group | undefined {
  if (items[operand.first - 1]?.word !== 'CASE' || items[operand.last + 1]?.word !== 'WHEN') return undefined;
  if (items[operand.last + 2]?.token.kind !== 'number') return undefined;
  const choices = [{ ...integer, meaning: '' }];
  return { members: [operand], where: 'after CASE', isSilent: false, choices };
}
