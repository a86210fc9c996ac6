/** Finds misspelled keywords between names: `FORM`, `WHRE`, `ODER BY`. */
import { nearest } from '../../../read/diagnostics/suggest.js';
import { keywords } from '../../../read/sql/lexer/sql-keywords.js';
import type { Item } from '../../../read/sql/parse/tree.js';
import { wordSet } from '../../../read/wordset.js';

/** Words that begin a clause, join tables or join conditions. */
const frameWords = wordSet(`
  SELECT FROM WHERE GROUP ORDER HAVING LIMIT OFFSET UNION JOIN LEFT RIGHT INNER OUTER CROSS USING SET VALUES INTO RETURNING
  AND NOT BETWEEN LIKE ILIKE DISTINCT ASC DESC CASE WHEN THEN ELSE END EXISTS UPDATE DELETE INSERT WITH
`);

/** The keyword that was meant; undefined for keywords, and for words too short to compare. */
export function misspelt({ token, word }: Item): string | undefined {
  if (token.kind !== 'word' || word.length < 3 || keywords.has(word)) return undefined;
  return nearest(word, frameWords);
}
