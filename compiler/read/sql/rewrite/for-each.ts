/** The text that runs a statement of PostgreSQL for each element of lists, at once and as often as without it. */
import { wordSet } from '../../wordset.js';
import { ancestors, clauseOf, type SqlNode, type SqlTree } from '../parse/tree.js';
import type { SqlStatement } from '../statement.js';
import type { LoweredSql } from './lower.js';

/**
 * Its parameters are the lists of the statement's values. Its first column is the position of the element that a row belongs to, from 1 on.
 * Undefined where the rows could be others: the statement must read alone, and compare its values in conditions.
 */
export function textForEach(
  statement: SqlStatement,
  { parts }: Pick<LoweredSql, 'parts'>,
): string | undefined {
  const { tree } = statement.pieces;
  const count = parts.filter(({ kind }) => kind === 'value').length;
  const own = parts.map((part) => (part.kind === 'text' ? part.text : '')).join(' ');
  // A table of the statement with that name would hide the list.
  const list = ['list', 'elements', 'loop_elements'].find((name) => !own.toLowerCase().includes(name));
  if (statement.dialect !== 'postgresql' || count === 0 || list === undefined) return undefined;
  if (!statement.retry || tree.items.some(({ word }) => word === 'TABLESAMPLE')) return undefined;
  if (!tree.nodes.every((node) => isSameForEach(node, tree))) return undefined;
  const names = Array.from({ length: count }, (_, index) => (count === 1 ? 'value' : `value${index + 1}`));
  let text = '';
  let next = 0;
  for (const part of parts) {
    if (part.kind === 'text') text += part.text;
    else if (part.kind === 'value' || part.kind === 'same') {
      text += `${list}.${names[part.kind === 'same' ? part.value : next] ?? ''}`;
      if (part.kind === 'value') next += 1;
    } else return undefined;
  }
  const lists = names.map((_, index) => `$${index + 1}`).join(', ');
  return [
    `SELECT ${list}.place, one.* FROM unnest(${lists}) WITH ORDINALITY AS ${list} (${[...names, 'place'].join(', ')})`,
    'CROSS JOIN LATERAL (',
    // Indented it would have other strings, if these have several lines.
    text.includes('\n') ? text : `  ${text}`,
    // It keeps the server from joining the tables in another way, which would give another order.
    ...(hasLimit(tree) ? [] : ['  OFFSET 0']),
    ') AS one',
  ].join('\n');
}

/** Calls whose result would be the same for several elements, where it is another one for each statement. */
const changing = wordSet(
  'RANDOM RANDOM_NORMAL CLOCK_TIMESTAMP TIMEOFDAY GEN_RANDOM_UUID UUID_GENERATE_V4 UUIDV7',
);

function isSameForEach(node: SqlNode, { items }: SqlTree): boolean {
  switch (node.kind) {
    case 'opaque':
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

/** Whether it is an operand of conditions in WHERE or ON: in calls and lists a column would not mean the same as a parameter. */
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
