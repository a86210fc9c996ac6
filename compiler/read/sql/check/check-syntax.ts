/** Syntax errors that are certain without a grammar: they are invalid in every statement of both databases. */
import { nearest } from '../../diagnostics/suggest.js';
import { misspeltClause } from './check-clauses.js';
import { keywords } from '../lexer/sql-keywords.js';
import { misspelt } from '../lexer/misspelt.js';
import type { OutlineToken } from '../parse/outline.js';
import { spanOf, type SqlCheckContext } from './sql-check-context.js';
import { changesRows } from '../facts/verb.js';
import { wordSet } from '../lexer/word-set.js';

/** Reports them; false after one. `/*! … *\/` may contain anything, so then nothing is certain. */
export function checkSyntax(
  context: SqlCheckContext,
  items: readonly OutlineToken[],
  verb: OutlineToken | undefined,
): boolean {
  const { text, report } = context;
  const closed = new Set(items.map(({ close }) => close));
  const lone = items.find((item, index) =>
    item.word === '(' ? item.close === -1 : item.word === ')' && !closed.has(index),
  );
  if (lone !== undefined) {
    report.add('sql-parenthesis', spanOf(context, lone), { written: lone.word });
    return false;
  }
  if (verb === undefined || !isData(verb)) return true;
  const clause = misspeltClause(items);
  const found =
    frameProblem(items, verb) ??
    firstOf(items, (index) => problemAt(items, index)) ??
    (clause && { kind: 'misspelt' as const, ...clause });
  if (found === undefined) return true;
  const { token } = found.item;
  const span = text.spanOf(token.start, token.end);
  if (found.kind === 'misspelt') {
    report.add('sql-misspelt-keyword', span, { written: token.text, keyword: found.keyword });
  } else {
    report.add('sql-unexpected', span, {
      written: token.text,
      before: found.before,
      hint: found.hint,
      missing: found.missing,
    });
  }
  return false;
}

type SyntaxProblem =
  | { readonly kind: 'misspelt'; readonly item: OutlineToken; readonly keyword: string }
  | {
      readonly kind: 'unexpected';
      readonly item: OutlineToken;
      /** The text before it. */
      readonly before: string;
      readonly hint: string;
      /** The keyword that the statement lacks, if that is all that is known. */
      readonly missing?: string;
    };

function isData(verb: OutlineToken): boolean {
  return changesRows(verb.word) || verb.word === 'SELECT' || verb.word === 'VALUES';
}

function firstOf(
  items: readonly OutlineToken[],
  find: (index: number) => SyntaxProblem | undefined,
): SyntaxProblem | undefined {
  for (const index of items.keys()) {
    const found = find(index);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The keyword that a word between names was meant to be. */
function meant(items: readonly OutlineToken[], indexes: readonly number[]): SyntaxProblem | undefined {
  for (const index of indexes) {
    const item = items[index];
    if (item === undefined) continue;
    if (items[index - 1]?.word === '.' || items[index + 1]?.word === '.') continue;
    const keyword = misspelt(item);
    if (keyword !== undefined) return { kind: 'misspelt', item, keyword };
  }
  return undefined;
}

/** The parts that a statement cannot be without: INTO, SET, FROM and the rows of an INSERT. */
function frameProblem(items: readonly OutlineToken[], verb: OutlineToken): SyntaxProblem | undefined {
  const start = items.indexOf(verb);
  const level = items.flatMap((item, index) => (index > start && item.parent === verb.parent ? [index] : []));
  const has = (word: string): boolean => level.some((index) => items[index]?.word === word);
  const missing: Readonly<Record<string, string>> = { UPDATE: 'SET', DELETE: 'FROM', MERGE: 'USING' };
  const needed = missing[verb.word];
  if (needed !== undefined && !has(needed)) {
    const item = level.map((index) => items[index]).find((found) => nearestIs(found, needed));
    if (item !== undefined) return { kind: 'misspelt', item, keyword: needed };
    const next = items[start + 1];
    // FROM follows DELETE at once; SET and USING follow the name of a table.
    if (verb.word !== 'DELETE')
      return { kind: 'unexpected', item: verb, before: '', hint: `Write ${needed} in it.`, missing: needed };
    return next === undefined
      ? unexpected(verb, '', 'Write FROM and the name of a table after it.')
      : unexpected(next, verb.token.text, 'Write FROM before it.');
  }
  if (verb.word !== 'INSERT' && verb.word !== 'REPLACE') return undefined;
  const next = items[start + 1];
  if (next !== undefined && !has('INTO') && nearestIs(next, 'INTO') && isName(items, start + 2))
    return { kind: 'misspelt', item: next, keyword: 'INTO' };
  const rows = level.find((index) => nearestIs(items[index], 'VALUES') && items[index + 1]?.word === '(');
  const item = items[rows ?? -1];
  const before = items[(rows ?? 0) - 1];
  const isBehindTable = before?.word === ')' || isName(items, (rows ?? 0) - 1);
  const hasRows = ['VALUES', 'VALUE', 'SELECT', 'WITH', 'TABLE', 'DEFAULT', 'SET'].some(has);
  return item !== undefined && isBehindTable && !hasRows
    ? { kind: 'misspelt', item, keyword: 'VALUES' }
    : undefined;
}

function nearestIs(item: OutlineToken | undefined, keyword: string): boolean {
  return (
    item !== undefined &&
    item.token.kind === 'word' &&
    item.word !== keyword &&
    nearest(item.word, [keyword]) === keyword
  );
}

/** Words that are reserved everywhere and begin a clause, or end the operand before them. */
const clauseStarts = wordSet('FROM WHERE GROUP HAVING ORDER UNION');
/** Words that need an operand after them. */
const wantsOperand = wordSet('WHERE AND OR NOT HAVING');
const endsClause = wordSet(') WHERE GROUP HAVING ORDER UNION AND OR');

function problemAt(items: readonly OutlineToken[], index: number): SyntaxProblem | undefined {
  const item = items[index];
  // Behind a dot and AS keywords are names.
  const previous = items[index - 1]?.word;
  if (item === undefined || previous === 'AS') return undefined;
  if (item.token.kind === 'operator' && item.token.text === '==')
    return { kind: 'misspelt', item, keyword: '=' };
  if (previous === '.') return runProblem(items, index);
  return commaProblem(items, index, item) ?? operandProblem(items, index, item) ?? runProblem(items, index);
}

/** `SELECT a, FROM`, `f(, a)`, `a, , b`. */
function commaProblem(
  items: readonly OutlineToken[],
  index: number,
  item: OutlineToken,
): SyntaxProblem | undefined {
  const next = items[index + 1];
  if (item.word === ',') {
    const isLast =
      next === undefined || next.word === ')' || next.word === ',' || clauseStarts.has(next.word);
    return isLast
      ? unexpected(item, before(items, index), 'Remove the comma, or write what is missing after it.')
      : undefined;
  }
  const wantsList = item.word === 'SELECT' || item.word === '(' || clauseStarts.has(item.word);
  return wantsList && next?.word === ','
    ? unexpected(next, item.token.text, 'Remove the comma, or write what is missing before it.')
    : undefined;
}

/** `WHERE AND a`, `a = AND b`, `WHERE` at the end. */
function operandProblem(
  items: readonly OutlineToken[],
  index: number,
  item: OutlineToken,
): SyntaxProblem | undefined {
  const next = items[index + 1];
  if (!wantsOperand.has(item.word)) return undefined;
  if (next !== undefined && !endsClause.has(next.word)) return undefined;
  return unexpected(
    next ?? item,
    next === undefined ? '' : item.token.text,
    next === undefined
      ? `Write a condition after '${item.token.text}', or remove '${item.token.text}'.`
      : `Write a condition between '${item.token.text}' and '${next.token.text}', or remove '${(/^(?:AND|OR)$/.test(next.word) ? next : item).token.text}'.`,
  );
}

/** Names and values side by side with nothing between them. */
function runProblem(items: readonly OutlineToken[], index: number): SyntaxProblem | undefined {
  const item = items[index];
  if (item === undefined) return undefined;
  if (item.word === 'BY' && isName(items, index - 1)) {
    return meant(items, [index - 1]);
  }
  // A name of several parts is looked at once, at its last one.
  if (items[index + 1]?.word === '.') return undefined;
  const kind = kindOf(items, index);
  const start = startOf(items, index);
  const previous = kindOf(items, start - 1);
  if (kind === undefined || previous === undefined) return undefined;
  const span = items[start] ?? item;
  if (kind === 'value' && item.token.kind !== 'placeholder')
    return previous === 'value' || previous === 'name'
      ? unexpectedAt(items, [start - 1], span, start)
      : undefined;
  if (kind !== 'name') return undefined;
  if (previous === 'star') return unexpectedAt(items, [start], span, start);
  const first = startOf(items, start - 1);
  const beforeLast = kindOf(items, first - 1);
  // `a b`: the second is an alias, and a third can be none.
  const isThird =
    previous === 'name' &&
    beforeLast !== undefined &&
    beforeLast !== 'star' &&
    !closesDistinctOn(items, first - 1);
  const isSecond = withoutAliases.has(item.clause) && isClauseItem(items, item);
  return isThird || isSecond ? unexpectedAt(items, [start - 1, start, first - 1], span, start) : undefined;
}

/** `DISTINCT ON (a) b c`: the list of columns begins behind it. */
function closesDistinctOn(items: readonly OutlineToken[], index: number): boolean {
  if (items[index]?.word !== ')') return false;
  const open = items.findIndex(({ close }) => close === index);
  return items[open - 1]?.word === 'ON' && items[open - 2]?.word === 'DISTINCT';
}

/** Clauses in which no name is given to what stands there. */
const withoutAliases = wordSet('WHERE HAVING ORDER GROUP SET');

function isClauseItem(items: readonly OutlineToken[], { parent }: OutlineToken): boolean {
  return parent === -1 || items[parent]?.opensStatement === true;
}

function unexpectedAt(
  items: readonly OutlineToken[],
  candidates: readonly number[],
  item: OutlineToken,
  index: number,
): SyntaxProblem {
  if (items[index - 1]?.word === 'TOP')
    return unexpected(
      item,
      before(items, index),
      `Write LIMIT ${item.token.text} at the end of the statement.`,
    );
  return (
    meant(items, candidates) ??
    unexpected(item, before(items, index), 'Write a comma, an operator or a keyword between them.')
  );
}

function unexpected(item: OutlineToken, behind: string, hint: string): SyntaxProblem {
  return { kind: 'unexpected', item, before: behind, hint };
}

function before(items: readonly OutlineToken[], index: number): string {
  return items[index - 1]?.token.text ?? '';
}

/** `a.b.c`: the index of `a`, for that of `c`. */
function startOf(items: readonly OutlineToken[], index: number): number {
  let start = index;
  while (items[start - 1]?.word === '.' && isNamePart(items[start - 2])) start -= 2;
  return start;
}

function isNamePart(item: OutlineToken | undefined): boolean {
  return item?.token.kind === 'word' || item?.token.kind === 'quoted-name';
}

function isName(items: readonly OutlineToken[], index: number): boolean {
  return kindOf(items, index) === 'name';
}

/**
 * `end` is a closing parenthesis; undefined for character sets (`_utf8`), keywords, operators and strings, which may be beside many things.
 */
function kindOf(
  items: readonly OutlineToken[],
  index: number,
): 'name' | 'value' | 'star' | 'end' | undefined {
  const item = items[index];
  if (item === undefined) return undefined;
  const { token, word } = item;
  if (token.kind === 'quoted-name') return 'name';
  // MySQL's names can begin with digits: `1a` is two tokens, `t.1a` three.
  if (token.kind === 'number') return items[index - 1]?.token.end === token.start ? undefined : 'value';
  if (token.kind === 'placeholder') return 'value';
  if (word === ')') return 'end';
  if (word === '*') return isColumnStar(items, index) ? 'star' : undefined;
  // `{ts '…'}` of ODBC.
  if (token.kind !== 'word' || word.startsWith('_') || items[index - 1]?.word === '{') return undefined;
  return keywords.has(word) && items[index - 1]?.word !== '.' ? undefined : 'name';
}

function isColumnStar(items: readonly OutlineToken[], index: number): boolean {
  const word = items[index - 1]?.word ?? '';
  return word === 'SELECT' || word === 'DISTINCT' || word === ',' || word === '.' || word === 'ALL';
}
