/** SQL that runs a statement for each element of lists in a single query, with the same result as separate runs. */
import { wordSet } from '../../wordset.js';
import { ancestors, clauseOf, type Clause, type SqlNode, type SqlTree } from '../parse/tree.js';
import { unfold } from '../lexer/unfold-yaml.js';
import type { SqlPieces, SqlStatement } from '../statement.js';
import type { LoweredSql } from './lower.js';
import type { SqlPart } from './text-part.js';

/**
 * On PostgreSQL, the parameters of the SQL are lists of the statement's values, and its first column is the position (from 1) of the list
 * element that produced the row. On MySQL and MariaDB, the SQL is for one element, and its copies are combined by UNION ALL: the position
 * is its first parameter and last column. Undefined if the rows could differ from those of separate runs: the statement must be read-only
 * and use its values only in conditions.
 */
export function textForEach(
  statement: SqlStatement,
  { parts }: Pick<LoweredSql, 'parts'>,
): string | undefined {
  const { tree } = statement.pieces;
  const count = parts.filter(({ kind }) => kind === 'value').length;
  if (count === 0 || !statement.retry || tree.items.some(({ word }) => word === 'TABLESAMPLE'))
    return undefined;
  if (!tree.nodes.every((node) => isSameForEach(node, tree))) return undefined;
  return statement.dialect === 'postgresql'
    ? lateralText(tree, parts, count)
    : partOfUnion(statement.pieces, parts);
}

function lateralText(tree: SqlTree, parts: readonly SqlPart[], count: number): string | undefined {
  // A table of that name in the statement would hide the list.
  const list = nameBeside(parts, ['list', 'elements', 'loop_elements']);
  if (list === undefined) return undefined;
  const names = Array.from({ length: count }, (_, index) => (count === 1 ? 'value' : `value${index + 1}`));
  let text = '';
  let next = 0;
  for (const part of parts) {
    if (part.kind !== 'text' && part.kind !== 'value') return undefined;
    text += part.kind === 'text' ? part.text : `${list}.${names[next] ?? ''}`;
    if (part.kind === 'value') next += 1;
  }
  const lists = names.map((_, index) => `$${index + 1}`).join(', ');
  return [
    `SELECT ${list}.place, one.* FROM unnest(${lists}) WITH ORDINALITY AS ${list} (${[...names, 'place'].join(', ')})`,
    'CROSS JOIN LATERAL (',
    // Indentation would change strings that span several lines.
    text.includes('\n') ? text : `  ${text}`,
    // OFFSET 0 keeps the server from flattening the subquery, which could change the row order.
    ...(hasLimit(tree) ? [] : ['  OFFSET 0']),
    ') AS one',
  ].join('\n');
}

/** Clauses that have the same meaning in a part of a UNION ALL. */
const ofParts = wordSet('SELECT FROM WHERE ORDER LIMIT');

/** Keywords of limits that apply to the whole statement. */
const ofWhole = wordSet('EXAMINED ROWNUM');

/** Without a LIMIT, servers ignore ORDER BY in a part of a UNION. */
const allRows = ' LIMIT 18446744073709551615';

function partOfUnion({ tree, text, tokens }: SqlPieces, parts: readonly SqlPart[]): string | undefined {
  const { main, items } = tree;
  // In a parenthesized statement, ORDER BY would be inside the parentheses.
  const [begin] = items;
  if (begin?.word !== 'SELECT') return undefined;
  const place = nameBeside(parts, ['place', 'element_place']);
  const columns = clauseOf(main, 'SELECT');
  const [first, ...others] = parts;
  if (place === undefined || columns === undefined || first?.kind !== 'text') return undefined;
  if (!isOfTables(tree, columns) || items.some(({ word }) => ofWhole.has(word))) return undefined;
  if (parts.some((part) => part.kind === 'text' && /--|#|\/\*/.test(part.text))) return undefined;
  const folded = unfold(text, tokens);
  const sent = tokens.map((token, index) => folded.get(index) ?? token.text);
  const head = sent.slice(begin.index, (items[columns.last]?.index ?? 0) + 1).join('');
  if (!first.text.startsWith(head)) return undefined;
  let written = `${head}, CAST(? AS SIGNED) AS ${place}${first.text.slice(head.length)}`;
  for (const part of others) {
    if (part.kind !== 'text' && part.kind !== 'value') return undefined;
    written += part.kind === 'text' ? part.text : '?';
  }
  const isCut = clauseOf(main, 'ORDER') === undefined || clauseOf(main, 'LIMIT') !== undefined;
  return isCut ? written : `${written}${allRows}`;
}

/** Whether all result columns are unchanged table columns: a UNION may give an expression a type with fewer digits or characters. */
function isOfTables({ root, main, nodes }: SqlTree, columns: Clause): boolean {
  const isAlone = root === main && !main.isCombined && main.operators.length === 0 && main.with.length === 0;
  return (
    isAlone &&
    main.clauses.every(({ name }) => ofParts.has(name)) &&
    columns.modifiers.every((word) => word === 'ALL') &&
    columns.children.every(
      (column) => column.kind === 'column' && (column.value.kind === 'name' || column.value.kind === 'star'),
    ) &&
    !nodes.some(({ kind }) => kind === 'derived')
  );
}

/** The first of the names that does not occur in the statement. */
function nameBeside(parts: readonly SqlPart[], names: readonly string[]): string | undefined {
  const own = parts
    .map((part) => (part.kind === 'text' ? part.text : ''))
    .join(' ')
    .toLowerCase();
  return names.find((name) => !own.includes(name));
}

/** Functions that return a different value in each statement, but the same value for all elements of a single query. */
const changing = wordSet(
  `RANDOM RANDOM_NORMAL CLOCK_TIMESTAMP TIMEOFDAY GEN_RANDOM_UUID UUID_GENERATE_V4 UUIDV7
  RAND UUID UUID_SHORT UUID_V4 UUID_V7 SYS_GUID RANDOM_BYTES SYSDATE FOUND_ROWS ROW_COUNT LAST_INSERT_ID SLEEP BENCHMARK`,
);

function isSameForEach(node: SqlNode, { items }: SqlTree): boolean {
  switch (node.kind) {
    case 'opaque':
    case 'variable':
      return false;
    case 'query':
      return node.verb === 'SELECT';
    case 'call':
      return !changing.has(items[node.name.last]?.word ?? '');
    case 'placeholder':
      return isCompared(node);
    default:
      return true;
  }
}

/**
 * Whether the placeholder is an operand in a WHERE or ON condition. In calls and lists, a column may be treated differently than a
 * parameter.
 */
function isCompared(node: SqlNode): boolean {
  for (const around of ancestors(node)) {
    if (around.kind === 'clause') return around.name === 'WHERE' || around.name === 'ON';
    if (around.kind !== 'operation' && around.kind !== 'parentheses') return false;
  }
  return false;
}

function hasLimit({ root, main }: SqlTree): boolean {
  const query = root.operators.length > 0 ? root : main;
  return ['LIMIT', 'FETCH', 'OFFSET'].some(
    (name) => (clauseOf(root, name) ?? clauseOf(query, name)) !== undefined,
  );
}
