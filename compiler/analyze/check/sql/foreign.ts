/** Finds placeholders of other languages, and expressions without `:[ ]`, in SQL. */
import { functions, readingFunctions } from '../../../read/expression/functions.js';
import { tryPlaceholder } from '../../../read/expression/parse/placeholder.js';
import type { Token } from '../../../read/sql/lexer/token.js';
import { markerOf, rewriteOf } from '../../../read/sql/rewrite/meant-placeholder.js';
import type { SqlText } from '../../../read/sql/sql-text.js';
import { wordSet } from '../../../read/wordset.js';
import { bareConstantAt, closeOf, type Foreign } from './bare-constant.js';
import { factOf } from './fact-of.js';

/** Placeholders and expressions of other languages, in source order; empty for SQL without a syntax tree. */
export const foreignIn = factOf((sql) => {
  const { tokens, tree } = sql;
  const all: Foreign[] = [];
  if (tree === undefined) return all;
  for (const [index, token] of tokens.entries()) {
    if (token.start < (all.at(-1)?.end ?? 0)) continue;
    const found = foreignAt(sql, tokens, index, token);
    if (found !== undefined) all.push(found);
  }
  return all;
});

function foreignAt(sql: SqlText, tokens: readonly Token[], index: number, token: Token): Foreign | undefined {
  switch (token.kind) {
    case 'operator':
      if (token.text === '{') return bracedAt(sql, tokens[index - 1], token);
      return token.text === '[' ? bracketedAt(sql, tokens, index, token) : undefined;
    case 'word':
      return (
        functionAt(sql, tokens, index, token) ??
        bareConstantAt(sql, tokens, index) ??
        referenceAt(sql, tokens, index, token)
      );
    default:
      return undefined;
  }
}

/** Finds `{{id}}`, `${id}`, `{PARAM(id)}` and `:{PARAM(id)}`. */
function bracedAt(
  { text: { value }, dialect, form }: SqlText,
  before: Token | undefined,
  opening: Token,
): Foreign | undefined {
  const isDouble = value.charAt(opening.end) === '{';
  const close = value.indexOf('}', opening.end);
  const inner = value.slice(opening.end + (isDouble ? 1 : 0), close === -1 ? opening.end : close).trim();
  const isMarked = before !== undefined && /[:$]$/.test(before.text) && before.end === opening.start;
  // ODBC syntax: `{ts '2024-01-01'}`.
  if (dialect === 'mysql' && !isMarked && !isDouble && /^\w+\s+\S|^$/.test(inner)) return undefined;
  const start = isMarked ? opening.start - 1 : opening.start;
  const end = close === -1 ? opening.end : close + (isDouble && value.charAt(close + 1) === '}' ? 2 : 1);
  return { start, end, rewrite: rewriteOf(inner, form) };
}

/** Finds `[PARAM(id)]` and `: [PARAM(id)]`. After an operand, brackets access an array. */
function bracketedAt(
  { text, form }: SqlText,
  tokens: readonly Token[],
  index: number,
  opening: Token,
): Foreign | undefined {
  const before = tokens.slice(Math.max(0, index - 4), index).findLast(isWritten);
  // SQL never has a bracket after a colon, so even names of results are unambiguous there.
  if (before?.text !== ':' && !looksLikeExpression(text.value, opening.end)) return undefined;
  for (const syntax of ['A', 'B'] as const) {
    const { expression, end } = tryPlaceholder(text, opening.end, { syntax });
    if (expression === undefined) continue;
    const rewrite = markerOf(text.value.slice(opening.end, end - 1), expression, syntax, form);
    if (rewrite === undefined) continue;
    if (before?.text === ':') return { start: before.start, end, rewrite };
    const isArray = before?.end === opening.start && /[\w)\]"]$/.test(before.text);
    return { start: opening.start, end, rewrite: isArray ? `[${rewrite}]` : rewrite };
  }
  return undefined;
}

function isWritten({ kind }: Token): boolean {
  return kind !== 'space' && kind !== 'comment';
}

const expressionStart = RegExp(
  String.raw`\s*(?:(?:${[...functions.keys()].join('|')})\s*\(|(?:param|body)\s*[.[])`,
  'y',
);

function looksLikeExpression(text: string, start: number): boolean {
  expressionStart.lastIndex = start;
  return expressionStart.test(text);
}

/** Expression functions that read a value. SQL does not define any of these, except VALUE on MariaDB. */
const reading = new Set(readingFunctions);

/** Finds `PARAM(id)`, `BODY($.id)` and `VALUE(news, $.id)` in upper case. */
function functionAt(
  { text: { value }, form }: SqlText,
  tokens: readonly Token[],
  index: number,
  name: Token,
): Foreign | undefined {
  const before = tokens[index - 1]?.text;
  if (!reading.has(name.text) || before === '.' || before === ':') return undefined;
  const end = closeOf(tokens, index + 1);
  if (end === undefined) return undefined;
  const written = value.slice(name.start, end);
  if (name.text === 'VALUE' && !written.includes('$')) return undefined;
  // In `:(PARAM(id))`, the parentheses should be brackets.
  const colon = tokens[index - 2];
  const isMarked = before === '(' && colon?.text === ':' && value.startsWith(`:(${written})`, colon.start);
  const start = isMarked ? colon.start : name.start;
  return { start, end: isMarked ? end + 1 : end, rewrite: rewriteOf(written, form) };
}

const reference = /(?:param|body)(?:\.[A-Za-z_][\w-]*|\[\s*(?:'[^'\]]*'|-?\d+|\*)\s*\])+/y;

/** Finds `param.id` and `body.items[0].id`, unless the SQL has a table, alias or schema of that name. */
function referenceAt(
  { text: { value }, form }: SqlText,
  tokens: readonly Token[],
  index: number,
  token: Token,
): Foreign | undefined {
  if (token.text !== 'param' && token.text !== 'body') return undefined;
  const before = tokens[index - 1]?.text;
  reference.lastIndex = token.start;
  const written = reference.exec(value)?.[0];
  if (written === undefined || before === '.' || before === ':') return undefined;
  const end = token.start + written.length;
  // A function call, or a qualified table.
  if (/^\s*[(.]/.test(value.slice(end, end + 20)) || isTableSomewhere(tokens, token.text)) return undefined;
  return { start: token.start, end, rewrite: rewriteOf(written, form) };
}

const beforeTable = wordSet('FROM JOIN INTO UPDATE TABLE ONLY USING AS');

/** Whether the name is used other than as a column qualifier. */
function isTableSomewhere(tokens: readonly Token[], name: string): boolean {
  const counted = tokens.filter(({ kind }) => kind !== 'space' && kind !== 'comment');
  return counted.some((token, index) => {
    if (token.text.replaceAll(/["`]/g, '').toLowerCase() !== name) return false;
    const before = counted[index - 1]?.text.toUpperCase() ?? '';
    const after = counted[index + 1]?.text;
    return (after !== '.' && after !== '(' && after !== '[') || beforeTable.has(before);
  });
}
