/** Placeholders where SQL allows no parameter, and where one does nothing. */
import { spanOf, type SqlCheckContext } from './sql-check-context.js';
import { openOf, type OutlineToken } from '../parse/outline.js';
import { misspelt } from '../lexer/misspelt.js';
import { castTo, intervalUnits, isKnownType, timesInterval, typeNamed } from './rewrite-literal.js';
import type { SqlTree, Type } from '../parse/tree.js';
import { wordSet } from '../lexer/word-set.js';

/** A placeholder and its neighbours in the statement. */
interface Spot {
  readonly item: OutlineToken;
  readonly before: OutlineToken | undefined;
  readonly after: OutlineToken | undefined;
  /** The item before `before`. */
  readonly secondBefore: OutlineToken | undefined;
  /** The item before the enclosing parenthesis: a function. */
  readonly around: OutlineToken | undefined;
  /** The type whose length it would be. */
  readonly type: string | undefined;
}

/** Reports every placeholder in a wrong position; false after an error. */
export function checkPositions(
  context: SqlCheckContext,
  items: readonly OutlineToken[],
  tree: SqlTree,
): boolean {
  let sound = true;
  const types = typesAround(tree);
  for (const [index, item] of items.entries()) {
    if (item.token.kind !== 'placeholder') continue;
    const before = items[index - 1];
    const around = items[item.parent - 1];
    const type = types.get(index);
    const spot = { item, before, after: items[index + 1], secondBefore: items[index - 2], around, type };
    if (!checkPosition(context, spot) || !checkNeighbours(context, items, index)) sound = false;
    else if (isSortKey(spot)) {
      const parameters = { clause: item.clause, placeholder: item.token.text };
      context.report.add('sql-sort-by-constant', spanOf(context, item), parameters);
    }
  }
  return sound;
}

function checkPosition(context: SqlCheckContext, spot: Spot): boolean {
  const { report } = context;
  const { item, before, secondBefore } = spot;
  const span = spanOf(context, item);
  const written = item.token.text;
  const where = namePosition(spot);
  if (before === undefined) {
    report.add('sql-placeholder-as-statement', span);
    return false;
  }
  // Behind a dot a keyword is a column.
  const word = secondBefore?.word === '.' ? '' : before.word;
  const isType = word === '::' || (word === ':' && !item.inBrackets);
  if (isType) report.add('sql-placeholder-as-type', span);
  else if (spot.type !== undefined) report.add('sql-placeholder-in-type', span, { type: spot.type });
  else if (where !== undefined) report.add('sql-placeholder-as-name', span, { where });
  else if (word === 'IN' && spot.around?.word !== 'POSITION')
    report.add('sql-in-without-parentheses', span, { rewrite: `IN (${written})` });
  else if (word === 'VALUES') {
    report.add('sql-values-without-parentheses', span, { rewrite: `VALUES (${written})` });
  } else if (word === '%' && isPattern(secondBefore)) {
    const end = spot.after?.word === '%' ? ", '%'" : '';
    const last = (spot.after?.word === '%' ? spot.after : item).token;
    const pattern = context.text.spanOf(before.token.start, last.end);
    report.add('sql-pattern-without-quotes', pattern, { rewrite: `concat('%', ${written}${end})` });
  } else if (isDirection(spot)) report.add('sql-placeholder-as-direction', span);
  else return true;
  return false;
}

/** The keywords that a value can follow. */
const beforeValue = wordSet(`
  SELECT DISTINCT DISTINCTROW ALL WHERE HAVING ON AND OR NOT CASE WHEN THEN ELSE BY LIMIT OFFSET LIKE ILIKE BETWEEN SYMMETRIC
  ASYMMETRIC ESCAPE TO FROM FOR PLACING USING IN VALUES RETURNING FIRST NEXT ROWS ROW RANGE GROUPS VALUE KEY BOTH LEADING TRAILING
  PASSING DOCUMENT CONTENT VERSION SET DEFAULT DIV MOD XOR REGEXP RLIKE BINARY CALL DO RETURN IMMEDIATE OF SOUNDS MEMBER WITH
  SQL_CALC_FOUND_ROWS SQL_NO_CACHE SQL_CACHE SQL_SMALL_RESULT SQL_BIG_RESULT SQL_BUFFER_RESULT STRAIGHT_JOIN HIGH_PRIORITY
  EXAMINED WAIT OVERLAPS AS COLLATE INTO UPDATE TABLE JOIN SEPARATOR
`);
/** Words before a value on PostgreSQL only: `f(VARIADIC …)`, `substring(t SIMILAR …)`, `XMLTABLE( … PATH …)`. */
const beforeValueOfPostgresql = wordSet('VARIADIC SIMILAR PATH');

/** `id = ANY :[x]` lacks its parentheses. */
const quantifiers = wordSet('ANY SOME');

/** Checks the token before the placeholder at `index` if no operator is between them; false after an error. */
function checkNeighbours(context: SqlCheckContext, items: readonly OutlineToken[], index: number): boolean {
  const item = items[index];
  const before = items[index - 1];
  if (item === undefined || before === undefined || !isAlone(context, items, index)) return true;
  const { report, dialect } = context;
  const written = item.token.text;
  const span = spanOf(context, item);
  const after = items[index + 1];
  const named = typeBefore(context, items, index);
  if (before.word === 'INTERVAL' && after !== undefined && intervalUnits.has(after.word)) {
    const rewrite = timesInterval(written, after.token.text);
    const phrase = `${before.token.text} ${written} ${after.token.text}`;
    report.add('sql-placeholder-after-type', span, { type: before.token.text, written: phrase, rewrite });
  } else if (named !== undefined && !isColumnOf(items, index, named.type)) {
    const rewrite = castTo(written, named.type, dialect);
    const phrase = `${named.written} ${written}`;
    report.add('sql-placeholder-after-type', span, { type: named.written, written: phrase, rewrite });
  } else {
    const keyword = before.token.kind === 'word' ? misspelt(before) : undefined;
    if (keyword === undefined) {
      const hint = quantifiers.has(before.word)
        ? `Write ${before.token.text}(${written}).`
        : named !== undefined
          ? `Write an operator between them, for example ${named.written} = ${written}.`
          : 'Write a comma, an operator or a keyword between them.';
      report.add('sql-unexpected', span, { written, before: before.token.text, hint });
    } else {
      report.add('sql-misspelt-keyword', spanOf(context, before), { written: before.token.text, keyword });
    }
  }
  return false;
}

const beforeCondition = new Set(['WHERE', 'AND', 'OR', 'ON', 'HAVING', 'NOT']);

/** Whether the name before the placeholder begins a condition, and is of no type: its operator is missing. */
function isColumnOf(items: readonly OutlineToken[], index: number, type: string): boolean {
  return beforeCondition.has(items[index - 2]?.word ?? '') && !isKnownType(type);
}

/** True if the placeholder follows neither an operator nor a keyword that a value can follow. */
function isAlone({ dialect }: SqlCheckContext, items: readonly OutlineToken[], index: number): boolean {
  const before = items[index - 1];
  const isColumn = items[index - 2]?.word === '.';
  switch (before?.token.kind) {
    case 'number':
    case 'literal':
    case 'placeholder':
    case 'quoted-name':
      return true;
    case 'operator':
      // `OPERATOR(pg_catalog.+) :[x]`
      return before.word === ')' && items[openOf(items, index - 1) - 1]?.word !== 'OPERATOR';
    case 'word': {
      const isZone = before.word === 'ZONE' && items[index - 3]?.word === 'AT';
      if (isColumn || isZone || (dialect === 'mysql' && before.word === 'INTERVAL')) return isColumn;
      if (dialect === 'postgresql' && beforeValueOfPostgresql.has(before.word)) return false;
      return !beforeValue.has(before.word);
    }
    default:
      return false;
  }
}

/** The type before the placeholder, as it is written and as a cast names it. */
function typeBefore(
  { dialect, text }: SqlCheckContext,
  items: readonly OutlineToken[],
  index: number,
): { readonly written: string; readonly type: string } | undefined {
  const before = items[index - 1];
  const open = before?.word === ')' ? openOf(items, index - 1) : index;
  const words = items.slice(Math.max(0, open - 5), open).map(({ word }) => word);
  const named = typeNamed(words, dialect);
  const first = items[open - (named?.count ?? 1)];
  if (named === undefined || before === undefined || first === undefined) return undefined;
  // A name that is not a known type is a type where an operand begins, unless it looks like a keyword.
  const isUnknown = before.token.kind === 'word' && !isKnownType(named.type);
  if (isUnknown && (misspelt(before) !== undefined || endsOperand(items[index - 2]))) return undefined;
  const written = text.value.slice(first.token.start, before.token.end).replaceAll(/\s+/g, ' ');
  if (open === index) return { written, type: named.type };
  // `timestamp(3)`; any other name before parentheses is a function.
  return isKnownType(named.type) ? { written, type: written } : undefined;
}

const beforeName = wordSet('FROM JOIN INTO UPDATE TABLE AS COLLATE .');

/** The description of the position if the placeholder is in the position of a name; for messages. */
function namePosition({ item, before, after, secondBefore }: Spot): string | undefined {
  const word = before?.word ?? '';
  if (after?.word === '.') return 'before `.`';
  if (after?.word === '(') return 'before `(`';
  if (secondBefore?.word === '.') return undefined;
  // `extract(year FROM …)` and `IS DISTINCT FROM …` are not clauses.
  if (word === 'FROM' && before?.clause !== 'FROM') return undefined;
  if (beforeName.has(word)) return `after ${word === '.' ? '`.`' : word}`;
  const isListed = word === ',' && before?.parent === item.parent;
  if (isListed && item.clause === 'FROM') return 'in the list after FROM';
  if (item.clause === 'SET' && after?.word === '=' && (isListed || word === 'SET'))
    return 'before `=` in SET';
  return undefined;
}

function isPattern(item: OutlineToken | undefined): boolean {
  return item?.word === 'LIKE' || item?.word === 'ILIKE';
}

const afterSortKey = new Set([
  ',',
  ')',
  'ASC',
  'DESC',
  'NULLS',
  'LIMIT',
  'OFFSET',
  'FETCH',
  'FOR',
  'HAVING',
  'ORDER',
]);

/** `ORDER BY :[…]`, `GROUP BY a, :[…]`. */
function isSortKey({ item, before, after }: Spot): boolean {
  if (item.clause !== 'ORDER' && item.clause !== 'GROUP') return false;
  const begins = before?.word === 'BY' || (before?.word === ',' && before.parent === item.parent);
  return begins && (after === undefined || afterSortKey.has(after.word));
}

const afterDirection = new Set([',', ')', 'NULLS', 'LIMIT', 'OFFSET', 'FETCH', 'FOR']);
/** Words that an operand follows in a sort key. */
const beforeOperand = wordSet(`
  BY CASE WHEN THEN ELSE AND OR NOT IS LIKE ILIKE BETWEEN ESCAPE TO REGEXP RLIKE DIV MOD XOR ZONE
  INTERVAL DISTINCT FROM USING BINARY SEPARATOR
`);

/** `ORDER BY title :[…]`. */
function isDirection({ item, before, after }: Spot): boolean {
  if (item.clause !== 'ORDER' || (after !== undefined && !afterDirection.has(after.word))) return false;
  if (before?.token.kind === 'quoted-name' || before?.token.kind === 'placeholder') return true;
  if (before?.word === ')') return true;
  return before?.token.kind === 'word' && !beforeOperand.has(before.word);
}

/** The types whose lengths are placeholders, as they are written, by the items of these: `numeric(10, :[x])`, where no server accepts one. */
function typesAround({ nodes, items }: SqlTree): ReadonlyMap<number, string> {
  return new Map(
    nodes.flatMap((node) =>
      node.kind === 'placeholder' && node.parent?.kind === 'type'
        ? [[node.first, nameOf(node.parent, items)]]
        : [],
    ),
  );
}

function nameOf({ first, last }: Type, items: SqlTree['items']): string {
  const texts = items.slice(first, last + 1).map(({ token }) => token.text);
  const words = texts.slice(0, texts.indexOf('('));
  // Without its schema.
  return words
    .slice(words.lastIndexOf('.') + 1)
    .join(' ')
    .toLowerCase();
}

/** Keywords that an operand follows. */
const beforeAnOperand = wordSet(`
  SELECT DISTINCT ALL WHERE HAVING ON AND OR NOT CASE WHEN THEN ELSE BY SET RETURNING VALUES BETWEEN LIKE ILIKE FROM FOR LIMIT
  OFFSET USING AS
`);

/** True where the item can be the end of an operand. */
function endsOperand(item: OutlineToken | undefined): boolean {
  if (item === undefined) return false;
  if (item.token.kind === 'operator') return item.word === ')' || item.word === ']';
  return !beforeAnOperand.has(item.word);
}
