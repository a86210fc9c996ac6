/** Placeholders where SQL allows no parameter, and where one does nothing. */
import { placeOf, type Reading } from './reading.js';
import type { Item } from './outline.js';
import { castTo, typeNamed } from './rewrite.js';
import { wordSet } from './word-set.js';

/** A placeholder and its neighbours in the statement. */
interface Spot {
  readonly item: Item;
  readonly before: Item | undefined;
  readonly after: Item | undefined;
  /** The item before `before`. */
  readonly secondBefore: Item | undefined;
}

/** Reports every placeholder in a wrong position; false after an error. */
export function checkPositions(reading: Reading, items: readonly Item[]): boolean {
  let sound = true;
  for (const [index, item] of items.entries()) {
    if (item.token.kind !== 'placeholder') continue;
    const before = items[index - 1];
    const spot = { item, before, after: items[index + 1], secondBefore: items[index - 2] };
    if (!checkPosition(reading, spot)) sound = false;
    else if (isSortKey(spot)) {
      const parameters = { clause: item.clause, placeholder: item.token.text };
      reading.report.add('sql-sort-by-constant', placeOf(reading, item), parameters);
    }
  }
  return sound;
}

function checkPosition(reading: Reading, spot: Spot): boolean {
  const { report, dialect } = reading;
  const { item, before, secondBefore } = spot;
  const place = placeOf(reading, item);
  const written = item.token.text;
  const where = namePosition(spot);
  if (before === undefined) {
    report.add('sql-placeholder-as-statement', place);
    return false;
  }
  // Behind a dot a keyword is a column.
  const word = secondBefore?.word === '.' ? '' : before.word;
  const type = typeNamed(word, dialect);
  const isType = word === '::' || (word === ':' && !item.inBrackets);
  if (isType) report.add('sql-placeholder-as-type', place);
  else if (where !== undefined) report.add('sql-placeholder-as-name', place, { where });
  else if (word === 'IN') report.add('sql-in-without-parentheses', place, { rewrite: `IN (${written})` });
  else if (word === 'VALUES') {
    report.add('sql-values-without-parentheses', place, { rewrite: `VALUES (${written})` });
  } else if (type !== undefined) {
    const rewrite = castTo(written, type, dialect);
    report.add('sql-placeholder-after-type', place, { type: before.token.text, rewrite });
  } else if (word === '%' && isPattern(secondBefore)) {
    const end = spot.after?.word === '%' ? ", '%'" : '';
    report.add('sql-pattern-without-quotes', place, { rewrite: `concat('%', ${written}${end})` });
  } else if (isDirection(spot)) report.add('sql-placeholder-as-direction', place);
  else return true;
  return false;
}

const beforeName = wordSet('FROM JOIN INTO UPDATE TABLE AS COLLATE .');

/** Where the placeholder stands, when that is the place of a name; for messages. */
function namePosition({ item, before, after, secondBefore }: Spot): string | undefined {
  const word = before?.word ?? '';
  if (after?.word === '.') return 'before `.`';
  if (after?.word === '(') return 'before `(`';
  if (secondBefore?.word === '.') return undefined;
  // `extract(year FROM …)` and `IS DISTINCT FROM …` are no clauses.
  if (word === 'FROM' && before?.clause !== 'FROM') return undefined;
  if (beforeName.has(word)) return `after ${word === '.' ? '`.`' : word}`;
  const isListed = word === ',' && before?.parent === item.parent;
  if (isListed && item.clause === 'FROM') return 'in the list after FROM';
  if (item.clause === 'SET' && after?.word === '=' && (isListed || word === 'SET'))
    return 'before `=` in SET';
  return undefined;
}

function isPattern(item: Item | undefined): boolean {
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
/** Words behind which an operand stands in a sort key. */
const beforeOperand = wordSet(`
  BY CASE WHEN THEN ELSE AND OR NOT IS LIKE ILIKE BETWEEN ESCAPE TO REGEXP RLIKE DIV MOD XOR ZONE
  INTERVAL DISTINCT FROM USING BINARY SEPARATOR
`);

/** `ORDER BY title :[…]`. */
function isDirection({ item, before, after }: Spot): boolean {
  if (item.clause !== 'ORDER' || (after !== undefined && !afterDirection.has(after.word))) return false;
  if (before?.token.kind === 'quoted-name' || before?.word === ')') return true;
  return before?.token.kind === 'word' && !beforeOperand.has(before.word);
}
