/** Finds syntax errors that are certain without a complete grammar, because they are invalid in every statement of both databases. */
import { nearest } from '../../../read/diagnostics/suggest.js';
import { keywords } from '../../../read/sql/lexer/sql-keywords.js';
import { misspelt } from './misspelt.js';
import { clauseOf, type Item, type Opaque, type SqlTree } from '../../../read/sql/parse/tree.js';
import { spanOf, type SqlText } from '../../../read/sql/sql-text.js';
import type { ReportGrammar } from './grammar-messages.js';
import { changesRows } from '../../../read/sql/facts/verb.js';
import { wordSet } from '../../../read/wordset.js';

/** Reports the first syntax error. A `/*! … *\/` comment can contain anything, so such SQL is skipped. */
export function checkSyntax(sql: SqlText, tree: SqlTree, report: ReportGrammar): void {
  const { items, main } = tree;
  const closed = new Set(items.map(({ close }) => close));
  const lone = items.find((item, index) =>
    item.word === '(' ? item.close === -1 : item.word === ')' && !closed.has(index),
  );
  if (lone !== undefined) {
    report('sql-parenthesis', spanOf(sql, lone), { written: lone.word });
    return;
  }
  if (!changesRows(main.verb) && main.verb !== 'SELECT' && main.verb !== 'VALUES') return;
  const found = frameProblem(tree) ?? firstProblem(tree);
  if (found === undefined) return;
  const { token } = found.item;
  const span = spanOf(sql, found.item);
  if (found.kind === 'misspelt') {
    report('sql-misspelt-keyword', span, { written: token.text, keyword: found.keyword });
  } else {
    report('sql-unexpected', span, {
      written: token.text,
      before: found.before,
      hint: found.hint,
      missing: found.missing,
    });
  }
}

type SyntaxProblem =
  | { readonly kind: 'misspelt'; readonly item: Item; readonly keyword: string }
  | {
      readonly kind: 'unexpected';
      readonly item: Item;
      /** The text before the item. */
      readonly before: string;
      readonly hint: string;
      /** The missing keyword, if nothing else is known. */
      readonly missing?: string;
    };

/** The first problem in the SQL. */
function firstProblem({ items, nodes }: SqlTree): SyntaxProblem | undefined {
  const rests = new Map<number, Opaque>();
  for (const node of nodes) if (node.kind === 'opaque') rests.set(node.first, node);
  for (const [index, item] of items.entries()) {
    const rest = rests.get(index);
    const found = problemAt(items, index) ?? (rest && runProblem(items, rest, item));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The keyword meant by a misspelled word between names. */
function meant(items: readonly Item[], indexes: readonly number[]): SyntaxProblem | undefined {
  for (const index of indexes) {
    const item = items[index];
    if (item === undefined || items[index - 1]?.word === '.' || items[index + 1]?.word === '.') continue;
    const keyword = misspelt(item);
    if (keyword !== undefined) return { kind: 'misspelt', item, keyword };
  }
  return undefined;
}

/** Missing mandatory parts of a statement: INTO, SET, FROM, or the rows of an INSERT. */
function frameProblem({ items, main }: SqlTree): SyntaxProblem | undefined {
  const { verb, verbItem, last, clauses } = main;
  const item = items[verbItem];
  const next = items[verbItem + 1];
  if (item === undefined) return undefined;
  const missing: Readonly<Record<string, string>> = { UPDATE: 'SET', DELETE: 'FROM', MERGE: 'USING' };
  const needed = missing[verb];
  const rest = items.slice(verbItem + 1, last + 1);
  if (needed !== undefined) {
    if (rest.some(({ word }) => word === needed)) return undefined;
    const meantWord = rest.find((one) => nearestIs(one, needed));
    if (meantWord !== undefined) return { kind: 'misspelt', item: meantWord, keyword: needed };
    // FROM directly follows DELETE, while SET and USING follow a table name.
    if (verb !== 'DELETE')
      return { kind: 'unexpected', item, before: '', hint: `Write ${needed} in it.`, missing: needed };
    return next === undefined
      ? unexpected(item, '', 'Write FROM and the name of a table after it.')
      : unexpected(next, item.token.text, 'Write FROM before it.');
  }
  if (verb !== 'INSERT' && verb !== 'REPLACE') return undefined;
  if (next !== undefined && nearestIs(next, 'INTO') && isName(items, verbItem + 2))
    return { kind: 'misspelt', item: next, keyword: 'INTO' };
  const hasRows = main.parts.length > 0 || clauses.some(({ name }) => name === 'VALUES' || name === 'SET');
  const behind = clauseOf(main, '')?.first ?? -1;
  const rows = items[behind];
  return !hasRows && rows !== undefined && nearestIs(rows, 'VALUES') && items[behind + 1]?.word === '('
    ? { kind: 'misspelt', item: rows, keyword: 'VALUES' }
    : undefined;
}

function nearestIs(item: Item | undefined, keyword: string): boolean {
  return (
    item !== undefined &&
    item.token.kind === 'word' &&
    item.word !== keyword &&
    nearest(item.word, [keyword]) === keyword
  );
}

/** Words that are always reserved, and that begin a clause or end the preceding operand. */
const clauseStarts = wordSet('FROM WHERE GROUP HAVING ORDER UNION');
/** Words that must be followed by an operand. */
const wantsOperand = wordSet('WHERE AND OR NOT HAVING');
const endsClause = wordSet(') WHERE GROUP HAVING ORDER UNION AND OR');

function problemAt(items: readonly Item[], index: number): SyntaxProblem | undefined {
  const item = items[index];
  // After a dot or AS, keywords are names.
  const previous = items[index - 1]?.word;
  if (item === undefined || previous === 'AS') return undefined;
  if (item.token.kind === 'operator' && item.token.text === '==')
    return { kind: 'misspelt', item, keyword: '=' };
  if (previous === '.') return undefined;
  return commaProblem(items, index, item) ?? operandProblem(items, index, item);
}

/** Misplaced commas: `SELECT a, FROM`, `f(, a)`, `a, , b`. */
function commaProblem(items: readonly Item[], index: number, item: Item): SyntaxProblem | undefined {
  const next = items[index + 1];
  if (item.word === ',') {
    const isLast =
      next === undefined || next.word === ')' || next.word === ',' || clauseStarts.has(next.word);
    return isLast
      ? unexpected(item, before(items, index), 'Remove the comma, or write the missing part after it.')
      : undefined;
  }
  const wantsList = item.word === 'SELECT' || item.word === '(' || clauseStarts.has(item.word);
  return wantsList && next?.word === ','
    ? unexpected(next, item.token.text, 'Remove the comma, or write the missing part before it.')
    : undefined;
}

/** Missing operands: `WHERE AND a`, `a = AND b`, `WHERE` at the end. */
function operandProblem(items: readonly Item[], index: number, item: Item): SyntaxProblem | undefined {
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

/** Adjacent names and values without an operator: the unparsed rest begins with one of them. */
function runProblem(items: readonly Item[], rest: Opaque, item: Item): SyntaxProblem | undefined {
  const { first, parent, clause } = rest;
  if (item.word === 'BY') return isName(items, first - 1) ? meant(items, [first - 1]) : undefined;
  const kind = kindOf(items, first);
  const previous = kindOf(items, first - 1);
  const before = startOf(items, first - 1);
  const beforeLast = kindOf(items, before - 1);
  if (kind === 'value' && item.token.kind !== 'placeholder')
    return previous === 'value' || previous === 'name'
      ? unexpectedAt(items, [first - 1], item, first)
      : undefined;
  if (kind !== 'name') return meantInClause(items, rest);
  if (previous === 'star') return unexpectedAt(items, [first], item, first);
  // In `a b`, the second name is an alias, so a third cannot follow.
  const isThird = previous === 'name' && beforeLast !== undefined && beforeLast !== 'star';
  const isBeside = previous !== undefined || kindOf(items, first + 1) !== undefined;
  const isSecond = isBeside && parent?.kind === 'clause' && withoutAliases.has(clause?.name ?? '');
  if (isThird || isSecond) return unexpectedAt(items, [first - 1, first, before - 1], item, first);
  return meantInClause(items, rest);
}

/**
 * A misspelled keyword as in `FROM number WHRE number.id = 1`: the alias before the unparsed rest, or its first word if something follows.
 */
function meantInClause(items: readonly Item[], rest: Opaque): SyntaxProblem | undefined {
  const { first, parent } = rest;
  if (parent?.kind !== 'clause') return undefined;
  const before = parent.children[parent.children.indexOf(rest) - 1];
  const hasAlias = before !== undefined && 'alias' in before && before.alias === first - 1;
  const found = meant(items, [
    ...(hasAlias ? [first - 1] : []),
    ...(items[first + 1] === undefined ? [] : [first]),
  ]);
  return found?.kind === 'misspelt' && meantWords.has(found.keyword) ? found : undefined;
}

/** Keywords that can follow any operand, and are recognized without a following word. */
const meantWords = wordSet('FROM WHERE HAVING UNION LIMIT RETURNING');

/** Clauses in which aliases are not allowed. */
const withoutAliases = wordSet('WHERE HAVING ORDER GROUP SET ON');

function unexpectedAt(
  items: readonly Item[],
  candidates: readonly number[],
  item: Item,
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

function unexpected(item: Item, behind: string, hint: string): SyntaxProblem {
  return { kind: 'unexpected', item, before: behind, hint };
}

function before(items: readonly Item[], index: number): string {
  return items[index - 1]?.token.text ?? '';
}

/** The index of the first part of a qualified name, given that of the last: `a` in `a.b.c`. */
function startOf(items: readonly Item[], index: number): number {
  let start = index;
  while (items[start - 1]?.word === '.' && isNamePart(items[start - 2])) start -= 2;
  return start;
}

function isNamePart(item: Item | undefined): boolean {
  return item?.token.kind === 'word' || item?.token.kind === 'quoted-name';
}

function isName(items: readonly Item[], index: number): boolean {
  return kindOf(items, index) === 'name';
}

/**
 * `end` is a closing parenthesis. Undefined for character sets (`_utf8`), keywords, operators and strings, which can be adjacent to many
 * things.
 */
function kindOf(items: readonly Item[], index: number): 'name' | 'value' | 'star' | 'end' | undefined {
  const item = items[index];
  if (item === undefined) return undefined;
  const { token, word } = item;
  if (token.kind === 'quoted-name') return 'name';
  // MySQL names can begin with digits: `1a` is two tokens, `t.1a` is three.
  if (token.kind === 'number') return items[index - 1]?.token.end === token.start ? undefined : 'value';
  if (token.kind === 'placeholder') return 'value';
  if (word === ')') return 'end';
  if (word === '*') return isColumnStar(items, index) ? 'star' : undefined;
  // ODBC syntax: `{ts '…'}`.
  if (token.kind !== 'word' || word.startsWith('_') || items[index - 1]?.word === '{') return undefined;
  return keywords.has(word) && items[index - 1]?.word !== '.' ? undefined : 'name';
}

function isColumnStar(items: readonly Item[], index: number): boolean {
  const word = items[index - 1]?.word ?? '';
  return word === 'SELECT' || word === 'DISTINCT' || word === ',' || word === '.' || word === 'ALL';
}
