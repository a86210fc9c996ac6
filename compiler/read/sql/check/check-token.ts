/** Checks of a single piece of a SQL text: see `checkTokens`. */
import type { Span } from '../../source.js';
import { exampleOf, rewriteOf } from './check-foreign.js';
import { spansLines } from '../lexer/unfold-yaml.js';
import type { SqlCheckContext } from './sql-check-context.js';
import { rewriteLiteral } from './rewrite-literal.js';
import {
  isExecutableComment,
  isLineComment,
  type EnclosedToken,
  type PlainToken,
  type Token,
} from '../lexer/token.js';

/** Checks strings, names and comments, markers and placeholders (decisions 5.2 and 5.4); false after an error. */
export function checkTokens(context: SqlCheckContext, tokens: readonly Token[]): boolean {
  const sound = tokens.map((token, index) => {
    switch (token.kind) {
      case 'literal':
      case 'quoted-name':
      case 'comment':
        return checkEnclosed(context, tokens, index, token);
      case 'placeholder':
        return checkPlaceholder(context, token);
      case 'question':
      case 'positional':
        return checkMarker(context, token, tokens, index);
      case 'operator':
        return checkBacktick(context, tokens, index);
      default:
        return true;
    }
  });
  return sound.every(Boolean);
}

/** A name in MySQL's quotes, which PostgreSQL does not have. */
function checkBacktick(
  { text, dialect, report }: SqlCheckContext,
  tokens: readonly Token[],
  index: number,
): boolean {
  const [opening, name, closing] = tokens.slice(index, index + 3);
  if (dialect !== 'postgresql' || opening?.text !== '`' || name?.kind !== 'word' || closing?.text !== '`')
    return true;
  const before = tokens.slice(0, index).findLast(({ kind }) => kind !== 'space' && kind !== 'comment');
  report.add('sql-unexpected', text.spanOf(opening.start, closing.end), {
    written: `\`${name.text}\``,
    before: before?.text ?? '',
    hint: `PostgreSQL quotes names with ": write ${name.text}, or "${name.text}".`,
  });
  return false;
}

const whatIs = { literal: 'string', 'quoted-name': 'quoted name', comment: 'comment' };

function checkEnclosed(
  { text, dialect, form, report }: SqlCheckContext,
  tokens: readonly Token[],
  index: number,
  token: EnclosedToken,
): boolean {
  const { kind, opener, closer, embedded } = token;
  const opening = text.spanOf(token.start, token.start + opener.length);
  if (!token.closed) {
    const twice = opener === "'" ? withTwoQuotes(tokens, index) : undefined;
    report.add('sql-unterminated', opening, {
      what: whatIs[kind],
      opener,
      closer,
      isCut: isCut(text.span),
      twice,
    });
    return false;
  }
  if (isLineComment(token) && spansLines(text, token.start, token.end)) {
    report.add('sql-comment-over-lines', opening, { opener });
    return false;
  }
  const [first] = embedded;
  if (first === undefined) {
    if (!isExecutableComment(token) || !token.text.includes('?')) return true;
    const mark = token.start + token.text.indexOf('?');
    report.add('sql-question-mark-in-comment', text.spanOf(mark, mark + 1));
    return false;
  }
  const foreign = first.end === undefined ? foreignIn(token, first.start, form) : undefined;
  const span = text.spanOf(first.start, first.end ?? foreign?.end ?? first.start + 2);
  if (kind === 'comment') report.add('sql-placeholder-in-comment', span);
  else if (kind === 'quoted-name') {
    const inside = token.text.slice(opener.length, -closer.length);
    const isWhole = first.end === token.end - closer.length && first.start === token.start + opener.length;
    report.add('sql-placeholder-in-name', span, { value: isWhole ? inside : undefined });
  } else {
    const isSqlForm = form.kind === 'sql';
    const rewrite =
      foreign === undefined
        ? rewriteLiteral(tokens, index, token, dialect, isSqlForm ? '?' : undefined)
        : { written: token.text, rewrite: foreign.rewrite };
    const expressions = embedded.map(({ start, end }) => text.value.slice(start + 2, (end ?? start + 3) - 1));
    const isWhole = rewrite.written === text.value.slice(token.start, token.end);
    const literal = isWhole ? text.spanOf(token.start, token.end) : undefined;
    report.add('sql-placeholder-in-literal', span, { ...rewrite, isSqlForm, expressions, literal });
  }
  return false;
}

/** `'it''s'`, where the quote in `'it's'` begins the string that is not closed. */
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

/** The replacement for a string with a placeholder of the other syntax, and the end of that placeholder; undefined if there is none. */
function foreignIn(
  { text, start, opener, closer }: EnclosedToken,
  from: number,
  form: SqlCheckContext['form'],
): { readonly rewrite: string; readonly end: number } | undefined {
  const [written, inner = ''] =
    /^:\[((?:param|body)[.[][^'"\]]+|(?:PARAM|BODY)\([^'"\]]+\))\]/.exec(text.slice(from - start)) ?? [];
  if (written === undefined || form.kind === 'sql') return undefined;
  const before = text.slice(opener.length, from - start);
  const after = text.slice(from - start + written.length, -closer.length);
  if (after.includes(':[')) return undefined;
  const quoted = (part: string): string[] => (part === '' ? [] : [opener + part + closer]);
  const pieces = [...quoted(before), rewriteOf(inner, form), ...quoted(after)];
  const rewrite = pieces.length === 1 ? pieces.join('') : `concat(${pieces.join(', ')})`;
  return { rewrite, end: from + written.length };
}

/** Whether YAML reads what follows the SQL as a comment. */
function isCut({ source, start, end }: Span): boolean {
  return !/['"|>]/.test(source.text.charAt(start)) && /^[ \t]+#/.test(source.text.slice(end, end + 100));
}

function checkPlaceholder(
  { text, form, report }: SqlCheckContext,
  token: Token & { kind: 'placeholder' },
): boolean {
  if (form.kind === 'query') return token.expression !== undefined;
  const expression = token.text.slice(2, -1);
  report.add('sql-placeholder-in-sql-form', text.spanOf(token.start, token.end), {
    written: token.text,
    expression,
  });
  return false;
}

/** In the query form, `?` is PostgreSQL's operator between two operands; MySQL has none. */
function checkMarker(
  { text, dialect, form, report }: SqlCheckContext,
  token: PlainToken,
  tokens: readonly Token[],
  index: number,
): boolean {
  const span = text.spanOf(token.start, token.end);
  const marker = form.kind === 'sql' ? '?' : `a placeholder, such as ${exampleOf(form, 'id')},`;
  if (token.kind === 'positional') {
    report.add('sql-positional-parameter', span, { written: token.text, marker });
    return false;
  }
  if (form.kind === 'sql' && (dialect === 'postgresql' || token.text === '?')) return true;
  if (dialect === 'postgresql' && followsOperand(tokens, index)) return true;
  const reason =
    dialect === 'mysql'
      ? token.text === '??'
        ? "MySQL has no operator '?'"
        : 'MySQL reads it as a parameter, which has no value here'
      : 'in `query` it is an operator of PostgreSQL, not a parameter';
  report.add('sql-question-mark', span, { written: token.text, reason, marker });
  return false;
}

function followsOperand(tokens: readonly Token[], index: number): boolean {
  let before = index - 1;
  while (tokens[before]?.kind === 'space' || tokens[before]?.kind === 'comment') before -= 1;
  const token = tokens[before];
  return token !== undefined && !(token.kind === 'operator' && !/[)\]?@]/.test(token.text));
}
