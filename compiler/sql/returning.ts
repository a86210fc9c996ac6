/** The RETURNING that an UPDATE on PostgreSQL is given where its author wrote none (decisions 5.7). */
import type { Item } from './outline.js';
import { isLineComment, type Token } from './token.js';

/** The text to append to a statement, in the style that it is written in: letter case, lines, indentation. */
export function returningClause(text: string, verb: Item, lastToken: Token | undefined): string {
  const isLower = verb.token.text === verb.token.text.toLowerCase();
  const clause = isLower ? 'returning *' : 'RETURNING *';
  if (!text.includes('\n') && !isLineComment(lastToken)) return ` ${clause}`;
  return `\n${indentationOf(text, verb.token.text)}${clause}`;
}

/** The indentation of the first line that begins with the verb; the verb may stand behind WITH. */
function indentationOf(text: string, verb: string): string {
  const line = text.split('\n').find((candidate) => candidate.trimStart().startsWith(verb));
  return /^[ \t]*/.exec(line ?? '')?.[0] ?? '';
}
