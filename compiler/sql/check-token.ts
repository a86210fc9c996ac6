/** What can be wrong with a single piece of a SQL text: see `checkTokens`. */
import { exampleOf } from './check-foreign.js';
import { spansLines } from './fold.js';
import type { Reading } from './reading.js';
import { rewriteLiteral } from './rewrite-literal.js';
import { isLineComment, type EnclosedToken, type PlainToken, type Token } from './token.js';

/** Checks strings, names and comments, markers and placeholders (decisions 5.2 and 5.4); false after an error. */
export function checkTokens(reading: Reading, tokens: readonly Token[]): boolean {
  const sound = tokens.map((token, index) => {
    switch (token.kind) {
      case 'literal':
      case 'quoted-name':
      case 'comment':
        return checkEnclosed(reading, tokens, index, token);
      case 'placeholder':
        return checkPlaceholder(reading, token);
      case 'question':
      case 'positional':
        return checkMarker(reading, token, tokens, index);
      default:
        return true;
    }
  });
  return sound.every(Boolean);
}

const whatIs = { literal: 'string', 'quoted-name': 'quoted name', comment: 'comment' };

function checkEnclosed(
  { text, dialect, form, report }: Reading,
  tokens: readonly Token[],
  index: number,
  token: EnclosedToken,
): boolean {
  const { kind, opener, closer, embedded } = token;
  const opening = text.placeOf(token.start, token.start + opener.length);
  if (!token.closed) {
    report.add('sql-unterminated', opening, { what: whatIs[kind], opener, closer });
    return false;
  }
  if (isLineComment(token) && spansLines(text, token.start, token.end)) {
    report.add('sql-comment-over-lines', opening, { opener });
    return false;
  }
  const [first] = embedded;
  if (first === undefined) {
    const runs = kind === 'comment' && opener.endsWith('!');
    if (!runs || !token.text.includes('?')) return true;
    report.add('sql-question-mark-in-comment', opening);
    return false;
  }
  const place = text.placeOf(first.start, first.end ?? first.start + 2);
  if (kind === 'comment') report.add('sql-placeholder-in-comment', place);
  else if (kind === 'quoted-name') {
    const inside = token.text.slice(opener.length, -closer.length);
    const isWhole = first.end === token.end - closer.length && first.start === token.start + opener.length;
    report.add('sql-placeholder-in-name', place, { value: isWhole ? inside : undefined });
  } else {
    const isSqlForm = form.kind === 'sql';
    const rewrite = rewriteLiteral(tokens, index, token, dialect, isSqlForm ? '?' : undefined);
    const isWhole = rewrite.written === text.value.slice(token.start, token.end);
    const literal = isWhole ? text.placeOf(token.start, token.end) : undefined;
    report.add('sql-placeholder-in-literal', place, { ...rewrite, isSqlForm, literal });
  }
  return false;
}

function checkPlaceholder({ text, form, report }: Reading, token: Token & { kind: 'placeholder' }): boolean {
  if (form.kind === 'query') return token.expression !== undefined;
  const expression = token.text.slice(2, -1);
  report.add('sql-placeholder-in-sql-form', text.placeOf(token.start, token.end), {
    written: token.text,
    expression,
  });
  return false;
}

/** In the query form, `?` is PostgreSQL's operator between two operands; MySQL has none. */
function checkMarker(
  { text, dialect, form, report }: Reading,
  token: PlainToken,
  tokens: readonly Token[],
  index: number,
): boolean {
  const place = text.placeOf(token.start, token.end);
  const marker = form.kind === 'sql' ? '?' : `a placeholder, such as ${exampleOf(form, 'id')},`;
  if (token.kind === 'positional') {
    report.add('sql-positional-parameter', place, { written: token.text, marker });
    return false;
  }
  if (form.kind === 'sql' && (dialect === 'postgresql' || token.text === '?')) return true;
  if (dialect === 'postgresql' && followsOperand(tokens, index)) return true;
  const reason =
    dialect === 'mysql'
      ? 'MySQL reads it as a parameter, which has no value here'
      : 'in `query` it is an operator of PostgreSQL, not a parameter';
  report.add('sql-question-mark', place, { reason, marker });
  return false;
}

function followsOperand(tokens: readonly Token[], index: number): boolean {
  let before = index - 1;
  while (tokens[before]?.kind === 'space' || tokens[before]?.kind === 'comment') before -= 1;
  const token = tokens[before];
  return token !== undefined && !(token.kind === 'operator' && !/[)\]?@]/.test(token.text));
}
