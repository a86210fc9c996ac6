/** The maximum number of rows of a statement, as far as the SQL alone shows it. */
import {
  ancestors,
  clauseOf,
  descendants,
  unwrapped,
  type Call,
  type Clause,
  type Query,
  type SqlNode,
  type SqlTree,
} from '../parse/tree.js';
import { isExecutableComment } from '../lexer/token.js';
import { wordSet } from '../../wordset.js';
import type { SqlStatement } from '../statement.js';
import { rowsOf } from './written-columns.js';

const aggregates = wordSet(
  'COUNT SUM MIN MAX AVG BOOL_AND BOOL_OR STRING_AGG ARRAY_AGG JSON_AGG JSONB_AGG JSON_OBJECT_AGG JSONB_OBJECT_AGG GROUP_CONCAT JSON_ARRAYAGG JSON_OBJECTAGG',
);

/** The number in LIMIT or FETCH, or 1 if there is always exactly one row; undefined if unknown. */
export function rowLimitOf(statement: SqlStatement): number | undefined {
  const { tree } = statement.pieces;
  if (statement.verb !== 'SELECT') return undefined;
  if (alwaysHasRow(statement)) return 1;
  const limit = limitIn(tree, 'LIMIT');
  return (limit && numberIn(tree, limit)) ?? fetched(tree);
}

/** Whether the result always has exactly one row: an aggregate without GROUP BY, or a query without tables. */
export function alwaysHasRow({ pieces: { tree } }: SqlStatement): boolean {
  const { main, root } = tree;
  if (root.operators.length > 0 || clauseOf(main, 'HAVING') !== undefined) return false;
  if (isAggregated(tree) && clauseOf(main, 'GROUP') === undefined) return true;
  const isPlain = clauseOf(main, 'FROM') === undefined && clauseOf(main, 'WHERE') === undefined;
  return (
    isPlain &&
    !descendants(main).some((node) => node.kind === 'call' && setReturning.test(nameOf(tree, node)))
  );
}

/** Whether the statement always returns a row if it succeeds, as far as the SQL alone shows. A trigger can still suppress an INSERT. */
export function returnsRow(statement: SqlStatement): boolean {
  const { verb, returnsRows, pieces } = statement;
  if (!returnsRows || pieces.tokens.some(isExecutableComment)) return false;
  return verb === 'INSERT' ? insertsOneRow(pieces.tree) : verb === 'SELECT' && isOneAggregate(statement);
}

/** Whether the statement is an INSERT of one row (`INSERT INTO t VALUES (…)`) that either stores the row or fails. */
function insertsOneRow({ main }: SqlTree): boolean {
  const mayBeLeftOut =
    main.clauses[0]?.modifiers.includes('IGNORE') === true ||
    main.clauses.some(({ name }) => name === 'CONFLICT' || name === 'DUPLICATE');
  return !mayBeLeftOut && rowsOf(main).length === 1;
}

function isOneAggregate(statement: SqlStatement): boolean {
  const { tree } = statement.pieces;
  const { root, main } = tree;
  const isCut = [root, main].some((query) => cuts.some((name) => clauseOf(query, name) !== undefined));
  // Only calls in the SELECT list matter: calls in other clauses do not add rows to an aggregate.
  const list = clauseOf(main, 'SELECT');
  const calls = list === undefined ? [] : descendants(list).filter((node) => node.kind === 'call');
  return (
    !isCut &&
    alwaysHasRow(statement) &&
    clauseOf(main, 'FROM') !== undefined &&
    calls.every((call) => aggregates.has(nameOf(tree, call)) || returnsValue.has(nameOf(tree, call)))
  );
}

const cuts = ['LIMIT', 'OFFSET', 'FETCH'];

/** Functions that certainly return a single value. Other functions may be user-defined and return several rows. */
const returnsValue = wordSet('COALESCE NULLIF GREATEST LEAST ABS CEIL FLOOR ROUND TO_CHAR NOW LOWER UPPER');

/** Whether the statement has LIMIT or FETCH, with any number. */
export function hasRowLimit({ pieces: { tree } }: SqlStatement): boolean {
  return limitIn(tree, 'LIMIT') !== undefined || limitIn(tree, 'FETCH') !== undefined;
}

/** The clause of the whole statement, ignoring clauses in parts of a set operation. */
function limitIn({ root, main }: SqlTree, name: string): Clause | undefined {
  return clauseOf(root, name) ?? (root.operators.length === 0 ? clauseOf(main, name) : undefined);
}

/** Functions that return several rows when used in the SELECT list: `generate_series(1, 3)`, `unnest(a)`. */
const setReturning =
  /^(?:GENERATE_SERIES|GENERATE_SUBSCRIPTS|UNNEST|REGEXP_MATCHES|REGEXP_SPLIT_TO_TABLE|JSONB?_(?:ARRAY_ELEMENTS|EACH|OBJECT_KEYS|TO_RECORDSET|POPULATE_RECORDSET|PATH_QUERY).*)$/;

/** Whether the SELECT list has an aggregate over all rows, not over a window. */
function isAggregated(tree: SqlTree): boolean {
  const list = clauseOf(tree.main, 'SELECT');
  const isOwn = (node: SqlNode): boolean => node.query === tree.main && !isInside(node, tree.main);
  return (
    list !== undefined &&
    descendants(list).some(
      (node) =>
        node.kind === 'call' &&
        aggregates.has(nameOf(tree, node)) &&
        !node.clauses.some(({ name }) => name === 'OVER') &&
        isOwn(node),
    )
  );
}

/** Whether the node is inside a query nested in `query`. */
function isInside(node: SqlNode, query: Query): boolean {
  for (const around of ancestors(node)) {
    if (around === query) return false;
    if (around.kind === 'subquery') return true;
  }
  return false;
}

function nameOf({ items }: SqlTree, { name }: Call): string {
  return items[name.last]?.word ?? '';
}

/** The number of `LIMIT 10`, or of MySQL's `LIMIT 5, 10`. */
function numberIn(tree: SqlTree, { children }: Clause): number | undefined {
  return wholeNumber(tree, children.at(-1));
}

/** The number of `FETCH FIRST 10 ROWS ONLY` or `FETCH FIRST ROW ONLY`. */
function fetched(tree: SqlTree): number | undefined {
  const fetch = limitIn(tree, 'FETCH');
  if (fetch === undefined || /TIES|PERCENT/.test(fetch.modifiers.join(' '))) return undefined;
  return fetch.children.length === 0 ? 1 : wholeNumber(tree, fetch.children[0]);
}

function wholeNumber({ items }: SqlTree, node: SqlNode | undefined): number | undefined {
  const inner = node && unwrapped(node);
  const text = inner?.kind === 'number' ? (items[inner.first]?.token.text ?? '') : '';
  return /^\d+$/.test(text) ? Number(text) : undefined;
}
