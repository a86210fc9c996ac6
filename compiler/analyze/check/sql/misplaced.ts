/** Finds placeholders where SQL does not allow parameters, and placeholders without an effect. */
import { spanOf, type SqlText } from '../../../read/sql/sql-text.js';
import type { ReportGrammar } from './grammar-messages.js';
import { misspelt } from './misspelt.js';
import { castTo, intervalUnits, isKnownType, timesInterval, typeNamed } from './rewrite-literal.js';
import {
  isSlice,
  nodesByItem,
  type Item,
  type SqlNode,
  type SqlTree,
  type Type,
} from '../../../read/sql/parse/tree.js';
import { wordSet } from '../../../read/wordset.js';

/** A placeholder and its neighbors in the statement. */
interface Spot {
  /** The placeholder, or the opaque SQL that contains it. */
  readonly node: SqlNode;
  readonly index: number;
  readonly item: Item;
  readonly before: Item | undefined;
  readonly after: Item | undefined;
  /** The item before `before`. */
  readonly secondBefore: Item | undefined;
}

/** Reports every misplaced placeholder; false after an error. */
export function checkPositions(sql: SqlText, tree: SqlTree, report: ReportGrammar): boolean {
  const { items } = tree;
  if (!items.some(({ token }) => token.kind === 'placeholder')) return true;
  const around = nodesByItem(tree);
  let sound = true;
  for (const [index, item] of items.entries()) {
    const node = around[index];
    if (item.token.kind !== 'placeholder' || node === undefined) continue;
    const [secondBefore, before, after] = [items[index - 2], items[index - 1], items[index + 1]];
    const spot = { node, index, item, before, after, secondBefore };
    const isRight =
      checkPosition(sql, spot, around[index - 1], items, report) && checkNeighbours(sql, spot, items, report);
    if (!isRight) sound = false;
    else if (
      spot.after?.token.kind !== 'placeholder' &&
      node.parent?.kind === 'sort-key' &&
      /^(?:ORDER|GROUP)$/.test(node.clause?.name ?? '')
    ) {
      const parameters = { clause: node.clause?.name ?? '', placeholder: item.token.text };
      report('sql-sort-by-constant', spanOf(sql, item), parameters);
    }
  }
  return sound;
}

/** `around` is the innermost node that contains the preceding item. */
function checkPosition(
  sql: SqlText,
  spot: Spot,
  around: SqlNode | undefined,
  items: readonly Item[],
  report: ReportGrammar,
): boolean {
  const { node, item, before, secondBefore } = spot;
  const span = spanOf(sql, item);
  const written = item.token.text;
  const where = isOfPeriod(spot, items) ? undefined : namePosition(spot, around);
  if (before === undefined) {
    report('sql-placeholder-as-statement', span);
    return false;
  }
  // After a dot, a keyword is a column.
  const word = secondBefore?.word === '.' ? '' : before.word;
  const isType = word === '::' || (word === ':' && !(around !== undefined && isSlice(around)));
  if (isType) report('sql-placeholder-as-type', span);
  else if (node.parent?.kind === 'type')
    report('sql-placeholder-in-type', span, { type: nameOf(node.parent, items) });
  else if (where !== undefined) report('sql-placeholder-as-name', span, { where });
  else if (word === 'IN' && around?.kind !== 'call')
    report('sql-in-without-parentheses', span, { rewrite: `IN (${written})` });
  else if (word === 'VALUES') {
    report('sql-values-without-parentheses', span, { rewrite: `VALUES (${written})` });
  } else if (word === '%' && isPattern(secondBefore)) {
    const end = spot.after?.word === '%' ? ", '%'" : '';
    const last = (spot.after?.word === '%' ? spot.after : item).token;
    const pattern = sql.text.spanOf(before.token.start, last.end);
    report('sql-pattern-without-quotes', pattern, { rewrite: `concat('%', ${written}${end})` });
  } else if (isDirection(spot)) report('sql-placeholder-as-direction', span);
  else return true;
  return false;
}

/** Keywords that can precede a value. */
const beforeValue = wordSet(`
  SELECT DISTINCT DISTINCTROW ALL WHERE HAVING ON AND OR NOT CASE WHEN THEN ELSE BY LIMIT OFFSET LIKE ILIKE BETWEEN SYMMETRIC
  ASYMMETRIC ESCAPE TO FROM FOR PLACING USING IN VALUES RETURNING FIRST NEXT ROWS ROW RANGE GROUPS VALUE KEY BOTH LEADING TRAILING
  PASSING DOCUMENT CONTENT VERSION SET DEFAULT DIV MOD XOR REGEXP RLIKE BINARY CALL DO RETURN IMMEDIATE OF SOUNDS MEMBER WITH
  SQL_CALC_FOUND_ROWS SQL_NO_CACHE SQL_CACHE SQL_SMALL_RESULT SQL_BIG_RESULT SQL_BUFFER_RESULT STRAIGHT_JOIN HIGH_PRIORITY
  EXAMINED WAIT OVERLAPS AS COLLATE INTO UPDATE TABLE JOIN SEPARATOR
`);
/** Words that can precede a value only on PostgreSQL: `f(VARIADIC …)`, `substring(t SIMILAR …)`, `XMLTABLE( … PATH …)`. */
const beforeValueOfPostgresql = wordSet('VARIADIC SIMILAR PATH');

/** Keywords that need parentheses: `id = ANY :[x]` lacks them. */
const quantifiers = wordSet('ANY SOME');

/** Checks the token before the placeholder at `index` if there is no operator in between; false after an error. */
function checkNeighbours(sql: SqlText, spot: Spot, items: readonly Item[], report: ReportGrammar): boolean {
  const { index, item, before, after } = spot;
  if (before === undefined || !isAlone(sql, spot) || isOfPeriod(spot, items)) return true;
  const { dialect } = sql;
  const written = item.token.text;
  const span = spanOf(sql, item);
  const named = typeBefore(sql, items, index);
  if (before.word === 'INTERVAL' && after !== undefined && intervalUnits.has(after.word)) {
    const rewrite = timesInterval(written, after.token.text);
    const phrase = `${before.token.text} ${written} ${after.token.text}`;
    report('sql-placeholder-after-type', span, { type: before.token.text, written: phrase, rewrite });
  } else if (named !== undefined && !isColumnOf(items, index, named.type)) {
    const rewrite = castTo(written, named.type, dialect);
    const phrase = `${named.written} ${written}`;
    report('sql-placeholder-after-type', span, { type: named.written, written: phrase, rewrite });
  } else {
    const keyword = before.token.kind === 'word' ? misspelt(before) : undefined;
    if (keyword === undefined) {
      const hint = quantifiers.has(before.word)
        ? `Write ${before.token.text}(${written}).`
        : named !== undefined
          ? `Write an operator between them, for example ${named.written} = ${written}.`
          : 'Write a comma, an operator or a keyword between them.';
      report('sql-unexpected', span, { written, before: before.token.text, hint });
    } else {
      report('sql-misspelt-keyword', spanOf(sql, before), { written: before.token.text, keyword });
    }
  }
  return false;
}

/** Whether the placeholder is a bound in MariaDB's `FOR SYSTEM_TIME FROM … TO …` and similar clauses. */
function isOfPeriod({ node: { parent } }: Spot, items: readonly Item[]): boolean {
  return parent?.kind === 'opaque' && items[parent.first]?.word === 'FOR';
}

const beforeCondition = new Set(['WHERE', 'AND', 'OR', 'ON', 'HAVING', 'NOT']);

/** Whether the name before the placeholder begins a condition and is not a type, so that an operator is missing. */
function isColumnOf(items: readonly Item[], index: number, type: string): boolean {
  return beforeCondition.has(items[index - 2]?.word ?? '') && !isKnownType(type);
}

/** Whether the placeholder follows neither an operator nor a keyword that can precede a value. */
function isAlone({ dialect }: SqlText, { node, index, before, secondBefore }: Spot): boolean {
  // The column list begins after the parentheses of DISTINCT ON.
  if (node.clause?.name === 'SELECT' && node.clause.first === index) return false;
  // In `a OPERATOR(pg_catalog.=) …::int`, the operand begins with the placeholder.
  let around = node.parent;
  while (around !== undefined && around.first === index) around = around.parent;
  if (around?.kind === 'operation' && around.operator !== 'IS') return false;
  switch (before?.token.kind) {
    case 'number':
    case 'literal':
    case 'placeholder':
    case 'quoted-name':
      return true;
    case 'operator':
      return before.word === ')';
    case 'word': {
      const isColumn = secondBefore?.word === '.';
      if (isColumn || (dialect === 'mysql' && before.word === 'INTERVAL')) return isColumn;
      if (dialect === 'postgresql' && beforeValueOfPostgresql.has(before.word)) return false;
      return !beforeValue.has(before.word);
    }
    default:
      return false;
  }
}

/** The type before the placeholder, as written and in cast notation. */
function typeBefore(
  { dialect, text }: SqlText,
  items: readonly Item[],
  index: number,
): { readonly written: string; readonly type: string } | undefined {
  const before = items[index - 1];
  const open = before?.word === ')' ? items.findIndex(({ close }) => close === index - 1) : index;
  const words = items.slice(Math.max(0, open - 5), open).map(({ word }) => word);
  const named = typeNamed(words, dialect);
  const first = items[open - (named?.count ?? 1)];
  if (named === undefined || before === undefined || first === undefined) return undefined;
  // In operand position, an unknown name is a type unless it resembles a keyword.
  const isUnknown = before.token.kind === 'word' && !isKnownType(named.type);
  if (isUnknown && (misspelt(before) !== undefined || endsOperand(items[index - 2]))) return undefined;
  const written = text.value.slice(first.token.start, before.token.end).replaceAll(/\s+/g, ' ');
  if (open === index) return { written, type: named.type };
  // `timestamp(3)`; any other name before parentheses is a function.
  return isKnownType(named.type) ? { written, type: written } : undefined;
}

const beforeName = wordSet('FROM JOIN INTO UPDATE TABLE AS COLLATE .');

/** Describes the position for messages if the placeholder is in the position of a name. */
function namePosition(
  { node, before, after, secondBefore }: Spot,
  around: SqlNode | undefined,
): string | undefined {
  const word = before?.word ?? '';
  if (after?.word === '.') return 'before `.`';
  if (after?.word === '(') return 'before `(`';
  if (secondBefore?.word === '.') return undefined;
  // `extract(year FROM …)` and `IS DISTINCT FROM …` are not clauses.
  if (word === 'FROM' && (around?.kind === 'call' || around?.kind === 'operation')) return undefined;
  if (beforeName.has(word)) return `after ${word === '.' ? '`.`' : word}`;
  const { parent } = node;
  if (word === ',' && parent?.kind === 'opaque' && parent.parent === around && node.clause?.name === 'FROM')
    return 'in the list after FROM';
  if (parent?.kind === 'assignment' && parent.targets[0] === node) return 'before `=` in SET';
  return undefined;
}

function isPattern(item: Item | undefined): boolean {
  return item?.word === 'LIKE' || item?.word === 'ILIKE';
}

/** Whether the placeholder is in the position of a sort direction: `ORDER BY title :[…]`. */
function isDirection({ node: { parent }, before }: Spot): boolean {
  if (parent?.kind !== 'opaque' || before?.word === ',') return false;
  return parent.parent?.kind === 'clause' && parent.parent.name === 'ORDER';
}

function nameOf({ first, last }: Type, items: readonly Item[]): string {
  const texts = items.slice(first, last + 1).map(({ token }) => token.text);
  const words = texts.slice(0, texts.indexOf('('));
  // The name without its schema.
  return words
    .slice(words.lastIndexOf('.') + 1)
    .join(' ')
    .toLowerCase();
}

/** Keywords that precede an operand. */
const beforeAnOperand = wordSet(`
  SELECT DISTINCT ALL WHERE HAVING ON AND OR NOT CASE WHEN THEN ELSE BY SET RETURNING VALUES BETWEEN LIKE ILIKE FROM FOR LIMIT
  OFFSET USING AS
`);

/** Whether the item can end an operand. */
function endsOperand(item: Item | undefined): boolean {
  if (item === undefined) return false;
  if (item.token.kind === 'operator') return item.word === ')' || item.word === ']';
  return !beforeAnOperand.has(item.word);
}
