/** Reports strings, quoted names and comments that are not closed. */
import type { Sink } from '../../diagnostics/finding.js';
import type { Span, ScalarText } from '../../source.js';
import type { Token } from './token.js';

const whatIs = { literal: 'string', 'quoted-name': 'quoted name', comment: 'comment' };

/** Whether everything is closed. Reports the first unclosed token: the SQL after it is ambiguous. */
export function isClosed(text: ScalarText, tokens: readonly Token[], report: Sink): boolean {
  const index = tokens.findIndex((token) => 'closed' in token && !token.closed);
  const token = tokens[index];
  if (token === undefined || !('closed' in token)) return true;
  const { kind, start, opener, closer } = token;
  report.add('sql-unterminated', text.spanOf(start, start + opener.length), {
    what: whatIs[kind],
    opener,
    closer,
    isCut: isCut(text.span),
    twice: opener === "'" ? withTwoQuotes(tokens, index) : undefined,
  });
  return false;
}

/** The string with its quote doubled, as in `'it''s'`: in `'it's'` the unclosed string begins after `it`. */
function withTwoQuotes(tokens: readonly Token[], index: number): string | undefined {
  const opening = tokens[index];
  let at = index - 1;
  while (tokens[at]?.kind === 'word' || tokens[at]?.kind === 'space') at -= 1;
  const literal = tokens[at];
  if (opening === undefined || literal?.kind !== 'literal' || tokens[at + 1]?.kind !== 'word')
    return undefined;
  const rest = tokens.slice(at + 1, index).map(({ text }) => text);
  return `${literal.text}'${rest.join('')}'`;
}

/** Whether the SQL is cut off by ` #`, which begins a YAML comment. */
function isCut({ source, start, end }: Span): boolean {
  return !/['"|>]/.test(source.text.charAt(start)) && /^[ \t]+#/.test(source.text.slice(end, end + 100));
}
