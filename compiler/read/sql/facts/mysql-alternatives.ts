/** Expressions that return one of several values (COALESCE, IF, CASE, GREATEST …), which share one common type. */
import { wordSet } from '../../wordset.js';
import { unwrapped, wrapped, type Call, type SqlNode, type SqlTree } from '../parse/tree.js';
import { kindOfExpression, type ValueKind } from './value-kind.js';

export interface Alternatives {
  /** The whole expression: the call, or CASE through END. */
  readonly whole: SqlNode;
  /** Whether another alternative is a column or a string, which determines the type for any request. */
  readonly hasType: boolean;
  /** Whether another alternative is certainly a number. */
  readonly hasNumber: boolean;
  /** The unqualified names of columns among the other alternatives. The database knows whether these are numbers. */
  readonly columns: readonly string[];
  /** True for GREATEST and LEAST: they consider 9 greater than 10 if both are strings. */
  readonly isOrdered: boolean;
}

/** Functions that return one of their arguments, with the index of the first such argument. */
const choosing: ReadonlyMap<string, number> = new Map([
  ...['COALESCE', 'IFNULL', 'NVL', 'GREATEST', 'LEAST', 'MIN', 'MAX', 'ANY_VALUE'].map(
    (name) => [name, 0] as const,
  ),
  ['IF', 1],
  ['NVL2', 1],
]);

const ordering = wordSet('GREATEST LEAST');

/** The expression that has the node as one of its alternatives. */
export function alternativesOf(node: SqlNode, tree: SqlTree): Alternatives | undefined {
  const one = wrapped(node);
  const whole = one.parent;
  if (whole?.kind !== 'call' && whole?.kind !== 'case') return undefined;
  const name = whole.kind === 'call' ? calledName(whole, tree) : 'CASE';
  const list = possibleValues(whole, tree);
  if (!list.includes(one)) return undefined;
  const others = list.filter((other) => other !== one);
  return { whole, ...traits(tree, others), isOrdered: ordering.has(name) };
}

/** The possible values of the node if it is such an expression. */
export function possibleValues(node: SqlNode, tree: SqlTree): readonly SqlNode[] {
  if (node.kind === 'case') return node.values;
  if (node.kind !== 'call') return [];
  const from = choosing.get(calledName(node, tree));
  return from === undefined ? [] : node.arguments.slice(from);
}

/** The upper-case name of an unqualified function; empty for qualified functions. */
export function calledName({ name }: Call, { items }: SqlTree): string {
  const item = items[name.last];
  return name.parts.length > 1 ? '' : ((item?.word || item?.token.text) ?? '');
}

function traits(
  tree: SqlTree,
  others: readonly SqlNode[],
): Pick<Alternatives, 'hasType' | 'hasNumber' | 'columns'> {
  const columns = others.flatMap((one) =>
    one.kind === 'name' ? [(tree.items[one.last]?.token.text ?? '').replaceAll('`', '')] : [],
  );
  const hasType = columns.length > 0 || others.some(({ kind }) => kind === 'string');
  return { hasType, hasNumber: others.some((one) => isNumber(one, tree)), columns };
}

/** Functions that always return a number. */
const numeric = wordSet(`
  COUNT SUM AVG STD STDDEV VARIANCE LENGTH CHAR_LENGTH CHARACTER_LENGTH OCTET_LENGTH BIT_LENGTH ROW_NUMBER RANK DENSE_RANK
  NTILE ABS CEIL CEILING FLOOR ROUND TRUNCATE SIGN POW POWER SQRT EXP LN LOG LOG2 LOG10 RAND CRC32 ASCII ORD
  YEAR MONTH DAY DAYOFMONTH DAYOFWEEK DAYOFYEAR HOUR MINUTE SECOND MICROSECOND QUARTER WEEK WEEKDAY DATEDIFF TIMESTAMPDIFF
  UNIX_TIMESTAMP LAST_INSERT_ID ROW_COUNT LOCATE INSTR POSITION STRCMP FIELD FIND_IN_SET JSON_LENGTH JSON_DEPTH
`);
const numericKinds = new Set<ValueKind | undefined>(['int', 'bigint', 'numeric']);
const arithmetic = wordSet('+ - * / % DIV MOD');

function isNumber(written: SqlNode, tree: SqlTree): boolean {
  const node = unwrapped(written);
  if (node.kind === 'number') return true;
  if (node.kind === 'placeholder')
    return node.expression !== undefined && numericKinds.has(kindOfExpression(node.expression));
  if (node.kind === 'call') return numeric.has(calledName(node, tree));
  // `+ INTERVAL 1 DAY` returns a date.
  return isArithmetic(node) && node.children.every(({ kind }) => kind !== 'typed');
}

/** Whether the node is arithmetic, which returns a number or a date. */
export function isArithmetic(node: SqlNode | undefined): boolean {
  return node?.kind === 'operation' && arithmetic.has(node.operator);
}
