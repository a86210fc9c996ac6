/** The RETURNING that is added to an UPDATE on PostgreSQL if its author wrote none and its rows are read (decisions 11.3). */
import type { OutlineToken } from '../parse/outline.js';
import { isLineComment } from '../lexer/token.js';
import type { SqlPieces } from '../statement.js';

/** The clause to append to the statement `text`, in the style that it is written in: letter case, lines, indentation. */
export function returningClause(text: string, { bounds, tokens, verb }: SqlPieces): string {
  const last = tokens.findLast((token) => token.kind !== 'space' && token.text !== ';');
  const isLower = verb.token.text === verb.token.text.toLowerCase();
  const clause = `${isLower ? 'returning' : 'RETURNING'} ${changedRows(bounds.items, verb)}`;
  if (!text.includes('\n') && !isLineComment(last)) return ` ${clause}`;
  return `\n${indentationOf(text, verb.token.text)}${clause}`;
}

/** The clause that adds other tables than the changed one, whose columns `*` would return too. */
const bringsOthers: Readonly<Record<string, string>> = { UPDATE: 'FROM', DELETE: 'USING', MERGE: 'USING' };

/** `*`, or `item.*` where the statement has other tables beside the one that it changes. */
function changedRows(items: readonly OutlineToken[], verb: OutlineToken): string {
  const start = items.indexOf(verb);
  const clause = bringsOthers[verb.word];
  // Inside a clause of the same level, so that `DELETE FROM` and `IS DISTINCT FROM` do not count.
  const hasOthers = items.some(
    (item, index) =>
      index > start + 1 && item.parent === verb.parent && item.word === clause && item.clause === clause,
  );
  return hasOthers ? `${targetOf(items, start + 1)}.*` : '*';
}

/** `[INTO | FROM] [ONLY] a.b [*] [[AS] c]`: the alias where there is one, else the name, as they are written. */
function targetOf(items: readonly OutlineToken[], from: number): string {
  let at = from;
  const wordAt = (): string => items[at]?.word ?? '';
  while (['INTO', 'FROM', 'ONLY', '('].includes(wordAt())) at += 1;
  let name = textOf(items[at]);
  for (at += 1; wordAt() === '.'; at += 2) name += `.${textOf(items[at + 1])}`;
  while (wordAt() === '*' || wordAt() === ')') at += 1;
  if (wordAt() === 'AS') return textOf(items[at + 1]);
  return ['SET', 'USING', ''].includes(wordAt()) && items[at]?.token.kind !== 'quoted-name'
    ? name
    : textOf(items[at]);
}

function textOf(item: OutlineToken | undefined): string {
  return item?.token.text ?? '';
}

/** The indentation of the first line that begins with the verb; WITH may precede the verb. */
function indentationOf(text: string, verb: string): string {
  const line = text.split('\n').find((candidate) => candidate.trimStart().startsWith(verb));
  return /^[ \t]*/.exec(line ?? '')?.[0] ?? '';
}
