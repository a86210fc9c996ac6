/**
 * How MySQL uses a value. The position determines how the value is bound, because the protocol has no parameter types
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
   * - `operand`: an operand of arithmetic, or an argument of a numeric function; only a number makes sense.
   * - `json`: a value that a JSON function puts into a document, keeping its JSON type.
   * - `alternative`: one of several possible values, as in COALESCE or CASE; together they decide the type.
   * - `argument`: an argument of any other function, or a result column.
   * - `assigned`: a value assigned to a column.
   */
  readonly kind: 'operand' | 'json' | 'alternative' | 'argument' | 'assigned';
  /** For an alternative: another alternative is certainly a number, and the value is not only compared. */
  readonly besideNumber?: true;
  /** For an alternative that is not only compared: `Alternatives.columns`. */
  readonly besideColumns?: readonly string[];
}

/** Functions that compare their arguments, return them unchanged, or accept a constant string. */
const comparing = wordSet(`
  FIELD NULLIF STRCMP DECODE DECODE_ORACLE INTERVAL AGAINST FIRST_VALUE LAST_VALUE NTH_VALUE LAG LEAD NAME_CONST
`);

/**
 * Functions that calculate with exact decimals, and how many leading arguments are numbers. Other functions convert every number to DOUBLE.
 */
const calculating: ReadonlyMap<string, number> = new Map([
  ...['ROUND', 'TRUNCATE', 'MOD', 'FORMAT'].map((name) => [name, 2] as const),
  ...['ABS', 'CEIL', 'CEILING', 'FLOOR', 'SIGN', 'SUM', 'AVG'].map((name) => [name, 1] as const),
]);

/** Which arguments of a JSON function are values: all, or every second argument from an index on. */
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

/** The use of a placeholder; undefined if its value is bound as a string. */
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

/** Whether the server receives the value as a JSON document, that is, as JSON text. */
export function isJsonValue(use: ValueUse | undefined, expression: Expression): boolean {
  return use?.kind === 'json' && expression.kind !== 'text';
}

/**
 * Whether the node is an operand of arithmetic. With a string operand, MySQL calculates in DOUBLE and loses digits of BIGINT and DECIMAL
 * columns. Date arithmetic (`:[…] + INTERVAL 1 DAY`) does not count.
 */
function isOperand(node: SqlNode): boolean {
  const { parent } = node;
  return (
    isArithmetic(parent) && parent?.children.every((one) => one === node || one.kind !== 'typed') === true
  );
}

/**
 * Whether the placeholder is a row count. MySQL reads a non-numeric string as 0, and a negative number as all rows. Undefined elsewhere.
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
  /** The index of the argument that contains the value. */
  readonly argument: number;
}

/** The function call that has the node as a whole argument. */
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

/** Whether commas surround the argument, not keywords of the function's own syntax. */
function isPlainArgument({ separators, modifiers }: Call, argument: number): boolean {
  const isPlain = (separator: string | undefined): boolean =>
    separator === undefined || /^,?$/.test(separator);
  return isPlain(separators[argument]) && isPlain(separators[argument + 1]) && modifiers.length === 0;
}

function nameOf(call: Call, tree: SqlTree): string {
  return calledName(call, tree) || (tree.items[call.name.last]?.word ?? '');
}

/**
 * Whether the node is a result column that no query compares. A column of a subquery may be compared by the outer query; a named column may
 * be compared by HAVING.
 */
function isResultColumn(node: SqlNode): boolean {
  const { parent, query } = node;
  if (parent?.kind !== 'column' || parent.clause?.name !== 'SELECT' || isInside(node)) return false;
  return query !== undefined && clauseOf(query, 'HAVING') === undefined;
}

/** Whether the node is inside a subquery or a WITH query. */
function isInside(node: SqlNode): boolean {
  for (const { kind } of ancestors(node)) if (kind === 'subquery' || kind === 'with-query') return true;
  return false;
}

/** Whether the node is a whole element of VALUES (…), or the whole value assigned to a column by SET. */
function isAssigned(node: SqlNode): boolean {
  const { parent } = node;
  if (parent?.kind === 'parentheses') return isRowOfValues(parent);
  return parent?.kind === 'assignment' && parent.value === node && parent.clause?.name === 'SET';
}

function isRowOfValues({ parent }: SqlNode): boolean {
  return parent?.kind === 'clause' && parent.name === 'VALUES';
}

/**
 * The use of an alternative. If the common value is compared and only placeholders and numbers determine its type, binding a number would
 * make MySQL compare a text column as numbers.
 */
function useAsAlternative(alternatives: Alternatives, tree: SqlTree): ValueUse | undefined {
  const isCompared = !isUncompared(alternatives.whole, tree);
  if (isCompared && !alternatives.hasType) {
    // Known numbers are bound as numbers: compared as strings, 9 is greater than 10.
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

/** Whether the common value of the alternatives is certainly not compared. */
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
 * Whether the common value is a result column, or is compared with another expression that can return a request value: in these cases both
 * are strings. Compared with a number, the value becomes a number again.
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
