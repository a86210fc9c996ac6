/** The names of a statement's result columns, as far as the SQL alone shows them. */
import { utf8Length } from '../../bytes.js';
import type { Dialect } from '../dialect.js';
import type { Call, Clause, Column, Item, ParsedSql, SqlNode, SqlTree } from '../parse/tree.js';
import { clauseOf } from '../parse/tree.js';
import { wordSet } from '../../wordset.js';
import { identifier, tokensOf } from './server-names.js';

export interface ResultColumns {
  /** Column names in result order; undefined for a name that only the server knows. PostgreSQL names are in the server's letter case. */
  readonly names: readonly (string | undefined)[];
  /** False if there can be more columns, as with `*`. */
  readonly isWhole: boolean;
  /** True if the SQL lists all columns explicitly, so that columns added to a table later do not change the result. */
  readonly isListed: boolean;
}

/** The result columns of the statement; undefined if the SQL does not list them. */
export function resultColumnsOf({ dialect, pieces: { tree } }: ParsedSql): ResultColumns | undefined {
  const list = listOf(tree)?.children;
  if (list === undefined || list.length === 0) return undefined;
  const isListed = list.every((element) => element.kind === 'column' && element.value.kind !== 'star');
  const names = list.flatMap((element) => {
    if (element.kind !== 'column') return [undefined];
    return element.value.kind === 'star' ? [] : [nameOf(element, tree, dialect)];
  });
  return { names, isWhole: isListed && !names.includes(undefined), isListed };
}

/** The clause that lists the returned columns: RETURNING if rows are changed. */
function listOf({ main }: SqlTree): Clause | undefined {
  return clauseOf(main, main.verb === 'SELECT' ? 'SELECT' : 'RETURNING');
}

/** A result column that hides an earlier column of the same name. */
export interface HidingColumn {
  readonly name: string;
  readonly column: Column;
}

/** Result columns, and values with an alias, whose name is also used for a different expression of the list. */
export function hidingColumns({ dialect, pieces: { tree } }: ParsedSql): HidingColumn[] {
  const texts = new Map<string, string>();
  return (listOf(tree)?.children ?? []).flatMap((column) => {
    // Functions may be called only for their side effects.
    if (column.kind !== 'column' || (column.alias === undefined && !isColumnOfTable(column.value))) return [];
    const name = nameOf(column, tree, dialect);
    if (name === undefined) return [];
    const text = tokensOf(tree, column).toLowerCase();
    const earlier = texts.get(name);
    texts.set(name, text);
    return earlier === undefined || earlier === text ? [] : [{ name, column }];
  });
}

/** Whether the value is a table column, with or without a cast: `a`, `a::text`. */
function isColumnOfTable(value: SqlNode): boolean {
  return value.kind === 'name' || (value.kind === 'cast' && isColumnOfTable(value.value));
}

/** Whether the column at that index is COUNT, which is never null; FILTER, OVER and an alias are allowed. */
export function isCount(statement: ParsedSql, index: number): boolean {
  const { tree } = statement.pieces;
  if (tree.main.verb !== 'SELECT' || resultColumnsOf(statement)?.isListed !== true) return false;
  const column = listOf(tree)?.children[index];
  if (column?.kind !== 'column' || column.value.kind !== 'call') return false;
  const { parts } = column.value.name;
  return parts.length === 1 && tree.items[parts[0] ?? -1]?.word === 'COUNT';
}

/**
 * What the SQL alone shows of the result column of that name: an exact number such as `sum(net)` or `net::numeric`, the column of a table
 * (also one of `*`), or another value.
 */
export function valueOfColumn(
  { dialect, pieces: { tree } }: ParsedSql,
  name: string,
): 'number' | 'column' | 'other' {
  const found = (listOf(tree)?.children ?? []).find(
    (child): child is Column => child.kind === 'column' && nameOf(child, tree, dialect) === name,
  );
  if (found === undefined || found.value.kind === 'name') return 'column';
  return isExactNumber(found.value, tree) ? 'number' : 'other';
}

function isExactNumber(value: SqlNode, { items }: SqlTree): boolean {
  if (value.kind === 'cast') return exactTypes.has(value.type.name) && !value.type.isArray;
  if (value.kind !== 'call') return false;
  const { parts } = value.name;
  return parts.length === 1 && exactFunctions.has(items[parts[0] ?? -1]?.word ?? '');
}

const exactTypes = wordSet('BIGINT INT8 NUMERIC DECIMAL SIGNED UNSIGNED');

const exactFunctions = wordSet('SUM AVG COUNT');

/** The name of the column; undefined if it is unknown. */
function nameOf({ value, alias, first, last }: Column, tree: SqlTree, dialect: Dialect): string | undefined {
  const item = alias === undefined ? undefined : tree.items[alias];
  if (item !== undefined) return nameIn(item, dialect);
  // MySQL names expressions by their SQL text, which nobody reads by accident.
  if (dialect === 'mysql' && value.kind !== 'name') return tokensOf(tree, { first, last });
  return nameOfValue(value, tree, dialect);
}

function nameOfValue(value: SqlNode, tree: SqlTree, dialect: Dialect): string | undefined {
  switch (value.kind) {
    case 'name': {
      const item = tree.items[value.last];
      return item && nameIn(item, dialect);
    }
    case 'parentheses':
      return value.elements.length === 1 && value.elements[0]
        ? nameOfValue(value.elements[0], tree, dialect)
        : undefined;
    case 'cast': {
      // For other values, the server names the column after the type of the cast.
      const inner = nameOfValue(value.value, tree, dialect);
      return inner === '?column?' ? undefined : inner;
    }
    case 'call':
      return nameOfCall(value, tree);
    case 'operation':
      return nameless.has(value.operator) || value.isPrefix || value.operator.startsWith('IS ')
        ? nameOfPrefix(value.operator)
        : undefined;
    default:
      return undefined;
  }
}

function nameOfPrefix(operator: string): string | undefined {
  return operator === 'EXISTS' ? 'exists' : '?column?';
}

/** Operators whose result column has no name in PostgreSQL. The names for other operators are known only to the server. */
const nameless = wordSet('+ - * / % ^ || = < > <= >= <> != -> ->> #> #>> @> <@ && AND OR ~ ~* !~ & | << >>');

/** Functions whose result column has a different name in PostgreSQL, and keywords that are not functions. */
const otherwise = wordSet(
  'TRIM EXTRACT CAST TREAT ROW NORMALIZE XMLSERIALIZE XMLROOT COLLATION ANY ALL SOME GROUPING',
);

/** The function name as column name: `count(*)`, `lower(a)`, `rank() OVER (…)`. */
function nameOfCall({ name }: Call, { items }: SqlTree): string | undefined {
  const item = items[name.last];
  if (item === undefined || (name.parts.length === 1 && otherwise.has(item.word))) return undefined;
  return nameIn(item, 'postgresql');
}

/** The name as the server returns it: PostgreSQL truncates long names. */
function nameIn(item: Item, dialect: Dialect): string | undefined {
  const { text } = item.token;
  // A UTF-16 code unit has at most three bytes in UTF-8.
  const isLong = dialect === 'postgresql' && text.length * 3 > longestName && utf8Length(text) > longestName;
  return isLong ? undefined : identifier(item, dialect);
}

/** Maximum length of a PostgreSQL name in bytes, for default builds of the server. */
const longestName = 63;
