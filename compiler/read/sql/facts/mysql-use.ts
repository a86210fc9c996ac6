/**
 * How MySQL uses a value: the position determines the form in which it is bound, because the protocol has no parameter types
 * (docs/design/values.md#val-5).
 */
import type { Expression } from '../../expression/ast.js';
import { wordSet } from '../../wordset.js';
import {
  ancestors,
  clauseOf,
  wrapped,
  type Call,
  type Placeholder,
  type SqlNode,
  type SqlTree,
} from '../parse/tree.js';
import {
  alternativesOf,
  calledName,
  isArithmetic,
  possibleValues,
  type Alternatives,
} from './mysql-alternatives.js';

export interface ValueUse {
  /**
   * - `operand`: of arithmetic or a function that calculates, where only a number makes sense.
   * - `json`: a value that a JSON function puts into a document; it keeps its kind.
   * - `alternative`: one of several possible values, as in COALESCE or CASE; together they decide the type.
   * - `argument`: of another function, or a column of the result.
   * - `assigned`: the value of a column.
   */
  readonly kind: 'operand' | 'json' | 'alternative' | 'argument' | 'assigned';
  /** Of an alternative: another one is certainly a number, and the value is not just compared. */
  readonly besideNumber?: true;
  /** Of an alternative that is not just compared: the columns among the others, as Alternatives has them. */
  readonly besideColumns?: readonly string[];
}

/** Functions that compare their arguments, return them unchanged, or accept a constant string. */
const comparing = wordSet(`
  FIELD NULLIF STRCMP DECODE DECODE_ORACLE INTERVAL AGAINST FIRST_VALUE LAST_VALUE NTH_VALUE LAG LEAD NAME_CONST
`);

/** Functions that calculate with all digits, and how many of their first arguments are numbers. Others have DOUBLE for every number. */
const calculating: ReadonlyMap<string, number> = new Map([
  ...['ROUND', 'TRUNCATE', 'MOD', 'FORMAT'].map((name) => [name, 2] as const),
  ...['ABS', 'CEIL', 'CEILING', 'FLOOR', 'SIGN', 'SUM', 'AVG'].map((name) => [name, 1] as const),
]);

/** Which arguments of a JSON function are values: all, or every second one from an index on. */
const jsonValues: Readonly<Record<string, (index: number) => boolean>> = {
  JSON_ARRAY: () => true,
  JSON_ARRAYAGG: () => true,
  JSON_OBJECT: (index) => index % 2 === 1,
  JSON_OBJECTAGG: (index) => index === 1,
  JSON_SET: isBehindPath,
  JSON_INSERT: isBehindPath,
  JSON_REPLACE: isBehindPath,
  JSON_ARRAY_APPEND: isBehindPath,
  JSON_ARRAY_INSERT: isBehindPath,
};

function isBehindPath(index: number): boolean {
  return index >= 2 && index % 2 === 0;
}

/** The use of a placeholder; undefined where its value is bound as a text. */
export function useOf(placeholder: Placeholder, tree: SqlTree): ValueUse | undefined {
  const node = wrapped(placeholder);
  if (isOperand(node)) return { kind: 'operand' };
  const alternatives = alternativesOf(node, tree);
  if (alternatives !== undefined) return useAsAlternative(alternatives, tree);
  if (isResultColumn(node)) return { kind: 'argument' };
  if (isAssigned(node)) return { kind: 'assigned' };
  const called = functionAround(node, tree);
  if (called === undefined || comparing.has(called.name)) return undefined;
  if (called.argument < (calculating.get(called.name) ?? 0)) return { kind: 'operand' };
  const isValue = Object.hasOwn(jsonValues, called.name) ? jsonValues[called.name] : undefined;
  if (isValue !== undefined) return isValue(called.argument) ? { kind: 'json' } : undefined;
  return { kind: 'argument' };
}

/** Whether the server receives the value of the expression as a JSON document: then it is JSON text. */
export function isJsonValue(use: ValueUse | undefined, expression: Expression): boolean {
  return use?.kind === 'json' && expression.kind !== 'text';
}

/**
 * Whether the node is an operand of arithmetic. With a string MySQL calculates in DOUBLE, and loses digits of BIGINT and DECIMAL columns.
 * A date (`:[…] + INTERVAL 1 DAY`) is not such an operand.
 */
function isOperand(node: SqlNode): boolean {
  const { parent } = node;
  return (
    isArithmetic(parent) && parent?.children.every((one) => one === node || one.kind !== 'typed') === true
  );
}

/**
 * Which number of rows the placeholder is: MySQL reads a string that is not a number as 0, and a negative number as all rows. Undefined if
 * it is elsewhere.
 */
export function rowCountOf(placeholder: Placeholder): 'limit' | 'offset' | undefined {
  const { parent } = placeholder;
  if (parent?.kind !== 'clause') return undefined;
  if (parent.name === 'OFFSET') return 'offset';
  if (parent.name !== 'LIMIT') return undefined;
  return parent.children.length === 2 && parent.children[0] === placeholder ? 'offset' : 'limit';
}

interface Called {
  readonly name: string;
  /** Which of its arguments the value is, counted from 0. */
  readonly argument: number;
}

/** The function that the node is a whole argument of. */
function functionAround(node: SqlNode, tree: SqlTree): Called | undefined {
  const { parent } = node;
  if (parent?.kind === 'cast' && parent.isFunction) {
    const name = tree.items[parent.first]?.word ?? '';
    return name === 'CONVERT' ? { name, argument: 0 } : undefined;
  }
  if (parent?.kind !== 'call') return undefined;
  const argument = parent.arguments.indexOf(node);
  return argument !== -1 && isPlainArgument(parent, argument)
    ? { name: nameOf(parent, tree), argument }
    : undefined;
}

/** Commas are around it, not the words of a function's own syntax. */
function isPlainArgument({ separators, modifiers }: Call, argument: number): boolean {
  const isPlain = (separator: string | undefined): boolean =>
    separator === undefined || /^,?$/.test(separator);
  return isPlain(separators[argument]) && isPlain(separators[argument + 1]) && modifiers.length === 0;
}

function nameOf(call: Call, tree: SqlTree): string {
  return calledName(call, tree) || (tree.items[call.name.last]?.word ?? '');
}

/** A column of the result. That of a subquery may be compared outside; that of a named one may be compared by HAVING. */
function isResultColumn(node: SqlNode): boolean {
  const { parent, query } = node;
  if (parent?.kind !== 'column' || parent.clause?.name !== 'SELECT' || isInside(node)) return false;
  return query !== undefined && clauseOf(query, 'HAVING') === undefined;
}

/** In a query inside of the statement. */
function isInside(node: SqlNode): boolean {
  for (const { kind } of ancestors(node)) if (kind === 'subquery' || kind === 'with-query') return true;
  return false;
}

/** The whole of an element of VALUES (…), or of the value of a column in SET. */
function isAssigned(node: SqlNode): boolean {
  const { parent } = node;
  if (parent?.kind === 'parentheses') return isRowOfValues(parent);
  return parent?.kind === 'assignment' && parent.value === node && parent.clause?.name === 'SET';
}

function isRowOfValues({ parent }: SqlNode): boolean {
  return parent?.kind === 'clause' && parent.name === 'VALUES';
}

/**
 * If one of several possible values is compared, and only placeholders and numbers determine their type, a number of the request would turn
 * a text column into a number.
 */
function useAsAlternative(alternatives: Alternatives, tree: SqlTree): ValueUse | undefined {
  const isCompared = !isUncompared(alternatives.whole, tree);
  if (isCompared && !alternatives.hasType) {
    // A value that is known to be a number is bound as one: as strings, 9 is greater than 10.
    return alternatives.isOrdered ? { kind: 'argument' } : undefined;
  }
  if (isCompared && !isTextElsewhere(alternatives.whole, tree)) return { kind: 'alternative' };
  const { hasNumber, columns } = alternatives;
  return {
    kind: 'alternative',
    ...(hasNumber ? { besideNumber: true } : {}),
    ...(columns.length > 0 ? { besideColumns: columns } : {}),
  };
}

/** Whether the common value of several possible ones is certainly not compared. */
export function isUncompared(whole: SqlNode, tree: SqlTree): boolean {
  const node = wrapped(whole);
  if (isOperand(node)) return true;
  const around = alternativesOf(node, tree);
  if (around !== undefined) return isUncompared(around.whole, tree);
  const called = functionAround(node, tree);
  if (called !== undefined) return !comparing.has(called.name);
  if (isAssigned(node) || isResultColumn(node)) return true;
  const isKey = node.parent?.kind === 'sort-key';
  return isKey && (node.clause?.name === 'ORDER' || node.clause?.name === 'GROUP');
}

/**
 * Whether the common value is a column of a query that others read, or is compared with another combination of request values: both are
 * then strings. In a comparison with a number it is a number again.
 */
function isTextElsewhere(whole: SqlNode, tree: SqlTree): boolean {
  const node = wrapped(whole);
  const { parent } = node;
  if (parent?.kind === 'column') return parent.clause?.name === 'SELECT';
  if (parent?.kind !== 'operation' || !/^(?:<=>|[<>]=?|<>|!=|=)$/.test(parent.operator)) return false;
  return parent.operands.every((operand) => {
    const values = possibleValues(operand, tree);
    return values.some(({ kind }) => kind === 'placeholder');
  });
}
