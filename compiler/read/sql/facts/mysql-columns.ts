/**
 * The columns that a statement's values are written to or compared with: MySQL and MariaDB report the types of columns, but not of
 * parameters.
 */
import {
  clauseOf,
  unwrapped,
  wrapped,
  type Name,
  type Query,
  type SqlNode,
  type SqlTree,
} from '../parse/tree.js';
import { alternativesOf, calledName, isArithmetic, possibleValues } from './mysql-alternatives.js';
import { isUncompared } from './mysql-use.js';
import { plain } from './server-names.js';
import { assignmentsIn, rowsOf, type Write } from './written-columns.js';

/** A SELECT that is prepared but never run, with one column per placeholder (undefined for values without a column). */
export interface ValueSelect {
  /** `WITH …`, if the tables are WITH queries of the statement. */
  readonly with: string;
  readonly columns: readonly (string | undefined)[];
  /** The FROM clause with the statement's tables; empty if all columns belong to nested queries. */
  readonly from: string;
}

/** The SQL of the SELECT; undefined if no value has a column. */
export function selectText(select: ValueSelect | undefined): string | undefined {
  if (select?.columns.every((column) => column === undefined) !== false) return undefined;
  const list = select.columns.map((column) => column ?? 'NULL').join(', ');
  return `${select.with}SELECT ${list}${select.from}`;
}

/** The columns that the statement's values are written to and compared with; undefined without such values. */
export interface ValueTypes {
  readonly written: ValueSelect | undefined;
  readonly compared: ValueSelect | undefined;
}

export function typesOf(tree: SqlTree): ValueTypes {
  const written = writtenColumns(tree);
  return { written: selectOf(written, tree), compared: selectOf(comparedColumns(tree, written), tree) };
}

/**
 * The columns to which INSERT, REPLACE and UPDATE write values. For a value that is one of several alternatives (`coalesce(:[x], a)`) the
 * column gets an alias, because other values can be written, too.
 */
function writtenColumns(tree: SqlTree): Map<SqlNode, string> {
  const columns = new Map<SqlNode, string>();
  for (const { column, value } of writesOf(tree)) {
    if (column?.kind !== 'name') continue;
    const only = unwrapped(value);
    if (only.kind === 'placeholder') columns.set(only, textOf(column, tree));
    else
      for (const one of alternativesIn(only, tree))
        columns.set(one, `${textOf(column, tree)} AS alternative`);
  }
  return columns;
}

/** The columns that values are compared with, or that are alternatives to values. The latter get an alias if there is no comparison. */
function comparedColumns(tree: SqlTree, written: ReadonlyMap<SqlNode, string>): Map<SqlNode, string> {
  const columns = new Map<SqlNode, string>();
  for (const node of tree.nodes) {
    if (node.kind !== 'placeholder' || written.has(node)) continue;
    const found = columnBeside(node, tree);
    if (found === undefined) continue;
    const whole = alternativesOf(node, tree)?.whole;
    const isReturned = whole !== undefined && isUncompared(whole, tree);
    columns.set(node, `${inScopes(found, tree)}${isReturned ? ' AS alternative' : ''}`);
  }
  return columns;
}

function selectOf(columns: ReadonlyMap<SqlNode, string>, tree: SqlTree): ValueSelect | undefined {
  if (columns.size === 0) return undefined;
  const byItem = new Map([...columns].map(([{ first }, column]) => [first, column]));
  const list = tree.items.flatMap(({ token }, index) =>
    token.kind === 'placeholder' ? [byItem.get(index)] : [],
  );
  return { with: withOf(tree.root, tree), columns: list, from: tablesOf(tree.main, tree) };
}

function writesOf({ main }: SqlTree): Write[] {
  if (!/^(?:UPDATE|INSERT|REPLACE)$/.test(main.verb)) return [];
  const columns = clauseOf(main, 'COLUMNS')?.children ?? [];
  const named = (values: readonly SqlNode[]): Write[] =>
    values.map((value, index) => ({ column: columns[index], value }));
  return [
    ...assignmentsIn(clauseOf(main, 'SET')?.children ?? []),
    ...rowsOf(main).flatMap(named),
    ...named(selected(main.parts[0])),
    ...assignmentsIn(clauseOf(main, 'DUPLICATE')?.children ?? []),
  ];
}

/** The column values of a query, up to a `*`. */
function selected(query: Query | undefined): SqlNode[] {
  if (query?.isCombined !== false) return [];
  const values: SqlNode[] = [];
  for (const column of clauseOf(query, 'SELECT')?.children ?? []) {
    if (column.kind !== 'column' || column.value.kind === 'star') break;
    values.push(column.value);
  }
  return values;
}

/** The placeholders that COALESCE, IF, CASE and similar expressions may return. */
function alternativesIn(node: SqlNode, tree: SqlTree): SqlNode[] {
  return possibleValues(node, tree).flatMap((value) => {
    const one = unwrapped(value);
    return one.kind === 'placeholder' ? [one] : alternativesIn(one, tree);
  });
}

/** The column that the placeholder is compared with, or that is an alternative to the placeholder. */
function columnBeside(placeholder: SqlNode, tree: SqlTree): Name | undefined {
  for (let node = wrapped(placeholder); ;) {
    for (const other of besides(node, tree)) {
      const column = columnIn(other, tree);
      if (column !== undefined) return column;
    }
    const around = valueAround(node, tree);
    if (around === undefined) return undefined;
    node = wrapped(around);
  }
}

const comparison = /^(?:<=>|[<>]=?|<>|!=|=|(?:NOT )?(?:IN|BETWEEN))$/;

/** The nodes that the node is compared with, or that are alternatives to the node. */
function besides(node: SqlNode, tree: SqlTree): readonly SqlNode[] {
  const { parent } = node;
  if (parent === undefined) return [];
  const others = (nodes: readonly SqlNode[]): SqlNode[] => nodes.filter((one) => one !== node);
  switch (parent.kind) {
    case 'operation':
      return comparison.test(parent.operator) && !parent.isPrefix ? others(parent.operands) : [];
    case 'parentheses': {
      const { elements } = parent;
      // A list after IN is compared with the left operand; elements of a row are compared with those of the other row.
      if (isList(parent)) return besides(parent, tree);
      return elements.length < 2 ? [] : besides(parent, tree).flatMap(elementAt(elements.indexOf(node)));
    }
    case 'case':
      if (parent.values.includes(node)) return others(parent.values);
      if (parent.operand === undefined) return [];
      return parent.operand === node ? parent.conditions : [parent.operand];
    case 'call': {
      const name = calledName(parent, tree);
      if (name === 'NULLIF' || name === 'FIELD') return others(parent.arguments);
      const values = possibleValues(parent, tree);
      return values.includes(node) ? others(values) : [];
    }
    case 'column':
      // A column of a subquery: a scalar subquery has one column, a row compared by IN has several.
      return parent.query?.parent?.kind === 'subquery'
        ? besides(wrapped(parent.query.parent), tree).flatMap(
            elementAt(columnsOf(parent.query).indexOf(parent)),
          )
        : [];
    default:
      return [];
  }
}

function isList({ parent, elements }: Extract<SqlNode, { kind: 'parentheses' }>): boolean {
  return (
    parent?.kind === 'operation' &&
    /(?:^| )IN$/.test(parent.operator) &&
    parent.operands[1]?.kind === 'parentheses' &&
    parent.operands[1].elements === elements
  );
}

/**
 * The element at that index of a row, of each row of a list, or of a subquery's columns. A node that is not a row counts as a single
 * element.
 */
function elementAt(index: number): (node: SqlNode) => SqlNode[] {
  return (node) => {
    if (node.kind === 'parentheses') {
      if (node.elements.every(({ kind }) => kind === 'parentheses') && isList(node))
        return node.elements.flatMap(elementAt(index));
      const element = node.elements[index];
      return element === undefined ? [] : [element];
    }
    if (node.kind !== 'subquery') return index === 0 ? [node] : [];
    const column = columnsOf(node.body)[index];
    return column?.kind === 'column' ? [column.value] : [];
  };
}

function columnsOf(query: Query): readonly SqlNode[] {
  return clauseOf(query, 'SELECT')?.children ?? [];
}

/** The enclosing expression if it has the node's value, or a date or time close to it. */
function valueAround(node: SqlNode, tree: SqlTree): SqlNode | undefined {
  const { parent } = node;
  if (parent?.kind === 'operation') return isMoved(parent, tree) ? parent : undefined;
  if (parent?.kind !== 'call' && parent?.kind !== 'case') return undefined;
  const isFirst = parent.kind === 'call' && parent.arguments[0] === node;
  return (isFirst && (isMoved(parent, tree) || calledName(parent, tree) === 'NULLIF')) ||
    possibleValues(parent, tree).includes(node)
    ? parent
    : undefined;
}

/** Whether the node shifts a date: `a + INTERVAL 1 DAY`, `DATE_ADD(a, INTERVAL 1 DAY)`. */
function isMoved(node: SqlNode, tree: SqlTree): boolean {
  if (node.kind === 'call') return /^(?:DATE_(?:ADD|SUB)|(?:ADD|SUB)DATE)$/.test(calledName(node, tree));
  return isArithmetic(node) && node.children.some(({ kind }) => kind === 'typed');
}

/** The column that the expression takes its value from. */
function columnIn(node: SqlNode, tree: SqlTree): Name | undefined {
  const one = unwrapped(node);
  switch (one.kind) {
    case 'name':
      return columnCalled(one, tree);
    case 'parentheses':
    case 'case':
      return firstColumn(one.kind === 'case' ? one.values : one.elements, tree);
    case 'operation':
      return isMoved(one, tree) ? firstColumn(one.operands, tree) : undefined;
    case 'subquery':
      return firstColumn(elementAt(0)(one), tree);
    case 'call': {
      const [first] = one.arguments;
      const name = calledName(one, tree);
      if (name === 'ANY' || name === 'ALL' || name === 'SOME')
        return first?.kind === 'subquery' ? columnIn(first, tree) : undefined;
      const isFirst = name === 'NULLIF' || name === 'VALUES' || name === 'VALUE' || isMoved(one, tree);
      return firstColumn(isFirst && first !== undefined ? [first] : possibleValues(one, tree), tree);
    }
    default:
      return undefined;
  }
}

function firstColumn(nodes: readonly SqlNode[], tree: SqlTree): Name | undefined {
  for (const node of nodes) {
    const column = columnIn(node, tree);
    if (column !== undefined) return column;
  }
  return undefined;
}

/** HAVING can refer to a result column by its alias. */
function columnCalled(name: Name, tree: SqlTree): Name | undefined {
  const { clause, query, parts } = name;
  if (clause?.name !== 'HAVING' || query === undefined || parts.length > 1) return name;
  const called = plain(tree.items[name.first]);
  const column = columnsOf(query).find(
    (one) => one.kind === 'column' && one.alias !== undefined && plain(tree.items[one.alias]) === called,
  );
  return column?.kind === 'column' ? columnIn(column.value, tree) : name;
}

/** The column for use in the outermost SELECT: a column of a nested query becomes a subquery. */
function inScopes(column: Name, tree: SqlTree): string {
  let text = textOf(column, tree);
  for (
    let node: SqlNode | undefined = column.query;
    node !== undefined && node !== tree.main;
    node = node.parent
  ) {
    const from = node.kind === 'query' ? tablesOf(node, tree) : '';
    if (node.kind === 'query' && from !== '') text = `(${withOf(node, tree)}SELECT ${text}${from})`;
  }
  return text;
}

/** A FROM clause with the tables that a query reads or changes. */
function tablesOf(query: Query, tree: SqlTree): string {
  const clause = ['FROM', 'USING', 'UPDATE', 'DELETE', 'INTO']
    .filter((name) => name !== 'INTO' || query.verb !== 'SELECT')
    .map((name) => clauseOf(query, name))
    .find((one) => one !== undefined);
  const [first, last] = [clause?.children[0], clause?.children.at(-1)];
  if (first === undefined || last === undefined) return '';
  return ` FROM ${textOf({ first: first.first, last: last.last }, tree)}`;
}

function withOf(query: Query, tree: SqlTree): string {
  const [first, last] = [query.with[0], query.with.at(-1)];
  if (first === undefined || last === undefined) return '';
  return `WITH ${query.isRecursive ? 'RECURSIVE ' : ''}${textOf({ first: first.first, last: last.last }, tree)} `;
}

/** The source text of a node, on one line. */
function textOf({ first, last }: Pick<SqlNode, 'first' | 'last'>, { items }: SqlTree): string {
  let text = '';
  for (const [position, { token, index }] of items.slice(first, last + 1).entries()) {
    const isApart = position > 0 && items[first + position - 1]?.index !== index - 1;
    text += `${isApart ? ' ' : ''}${token.kind === 'placeholder' ? '?' : token.text}`;
  }
  return text;
}
