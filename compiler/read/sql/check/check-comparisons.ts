/** Comparisons of a statement that are the same for every row: with NULL, and of a column with itself. */
import { clauseAround, type OutlineToken } from '../parse/outline.js';
import type { SqlCheckContext } from './sql-check-context.js';
import { wordSet } from '../lexer/word-set.js';

/** Where a comparison chooses; in SET and VALUES `=` assigns. */
const choosing = wordSet('SELECT WHERE ON HAVING');
/** What can be before and behind a whole comparison. */
const before = wordSet('WHERE AND OR NOT ON HAVING (');
const behind = wordSet(
  'AND OR ) ORDER GROUP LIMIT RETURNING UNION FOR OFFSET FETCH HAVING WHERE JOIN LEFT INNER ;',
);

/** Reports them: warnings, for the database accepts both. */
export function checkComparisons(context: SqlCheckContext, items: readonly OutlineToken[]): void {
  for (const [index, item] of items.entries()) {
    if (item.word !== '=' && item.word !== '>') continue;
    // The lexer has one token for each character of `<>` and `!=`.
    const first = items[index - 1];
    const isPair = first?.token.end === item.token.start && /^[<>!:=]$/.test(first.word);
    const operator = (isPair ? first.word : '') + item.word;
    if (operator !== '=' && operator !== '<>' && operator !== '!=') continue;
    if (!choosing.has(clauseAround(item, items)) || isAssignment(items, index)) continue;
    const isEqual = operator === '=';
    const start = isPair ? first.token.start : item.token.start;
    const next = items[index + 1];
    if (next?.word === 'NULL') {
      const written = context.text.value.slice(start, next.token.end);
      const span = context.text.spanOf(start, next.token.end);
      context.report.add('sql-equals-null', span, { written, instead: isEqual ? 'IS NULL' : 'IS NOT NULL' });
    } else if (isEqual && item.clause !== 'SELECT') checkSame(context, items, index);
  }
}

/** `ON DUPLICATE KEY UPDATE a = NULL` of MySQL. */
function isAssignment(items: readonly OutlineToken[], index: number): boolean {
  return items.slice(0, index).some(({ word }, at) => word === 'DUPLICATE' && items[at - 1]?.word === 'ON');
}

/** `id = id`, with or without the table before it. */
function checkSame(context: SqlCheckContext, items: readonly OutlineToken[], index: number): void {
  const left = items[index - 1];
  const right = items[index + 1];
  if (left?.token.kind !== 'word' || right?.token.kind !== 'word') return;
  const isQualified = items[index - 2]?.word === '.';
  const first = isQualified ? index - 3 : index - 1;
  const last = isQualified ? index + 3 : index + 1;
  const text = (from: number, to: number): string =>
    items
      .slice(from, to + 1)
      .map(({ word }) => word)
      .join('');
  if (text(first, index - 1) !== text(index + 1, last)) return;
  const [start, end, after] = [items[first], items[last], items[last + 1]];
  if (start === undefined || end === undefined || !before.has(items[first - 1]?.word ?? '')) return;
  if (after !== undefined && !behind.has(after.word)) return;
  const column = context.text.value.slice(start.token.start, left.token.end);
  const written = context.text.value.slice(start.token.start, end.token.end);
  context.report.add('sql-same-sides', context.text.spanOf(start.token.start, end.token.end), {
    written,
    column,
  });
}
