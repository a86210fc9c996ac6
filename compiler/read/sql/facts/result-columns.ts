/** The names of a statement's result columns, as far as its text alone shows them. */
import { isPart } from '../check/check-insert.js';
import type { Dialect } from '../dialect.js';
import type { OutlineToken } from '../parse/outline.js';
import { wordSet } from '../lexer/word-set.js';

export interface ResultColumns {
  /** In order; undefined for a column whose name only the server knows. Names of PostgreSQL are in its letter case. */
  readonly names: readonly (string | undefined)[];
  /** False where there can be more, as with `*`. */
  readonly isWhole: boolean;
  /** Whether the text lists them one by one: the rows keep their columns when a table gets more. */
  readonly isListed: boolean;
}

const beforeList: Record<Dialect, ReadonlySet<string>> = {
  postgresql: wordSet('ALL DISTINCT'),
  mysql: wordSet(`
    ALL DISTINCT DISTINCTROW HIGH_PRIORITY STRAIGHT_JOIN SQL_SMALL_RESULT SQL_BIG_RESULT SQL_BUFFER_RESULT
    SQL_NO_CACHE SQL_CACHE SQL_CALC_FOUND_ROWS
  `),
};

/** Words that end the list, since nothing can have them as its name without quotes. */
const behindList: Record<Dialect, ReadonlySet<string>> = {
  postgresql: wordSet(
    'FROM INTO WHERE GROUP HAVING ORDER LIMIT OFFSET FETCH WINDOW UNION EXCEPT INTERSECT FOR',
  ),
  mysql: wordSet('FROM INTO WHERE GROUP HAVING ORDER LIMIT FETCH UNION EXCEPT INTERSECT FOR PROCEDURE LOCK'),
};

/** Words that end the list on some servers, and are names on others. */
const mayBeBehindList: Record<Dialect, ReadonlySet<string>> = {
  postgresql: new Set(),
  mysql: wordSet('OFFSET WINDOW MINUS'),
};

/** The result columns of the statement with that verb; undefined if its text does not list them. */
export function resultColumnsOf(
  items: readonly OutlineToken[],
  verb: OutlineToken,
  dialect: Dialect,
): ResultColumns | undefined {
  const from = startOfList(items, verb, dialect);
  if (from === undefined) return undefined;
  const { list, isCertain } = listFrom(items, from, { parent: verb.parent, dialect });
  const columns = list.map((column) => nameOf(column, dialect));
  if (columns.length === 0) return undefined;
  const isListed = isCertain && !columns.includes('*');
  return {
    names: columns.filter((column) => column !== '*'),
    isWhole: isListed && !columns.includes(undefined),
    isListed,
  };
}

/** A column of the list that hides an earlier one of the same name. */
export interface HidingColumn {
  readonly name: string;
  /** From its first token to its last. */
  readonly first: OutlineToken;
  readonly last: OutlineToken;
}

/** Columns, and values with a name of their own, whose name another of the list has, written in another way. */
export function hidingColumns(
  items: readonly OutlineToken[],
  verb: OutlineToken,
  dialect: Dialect,
): HidingColumn[] {
  const from = startOfList(items, verb, dialect);
  if (from === undefined) return [];
  const texts = new Map<string, string>();
  return listFrom(items, from, { parent: verb.parent, dialect }).list.flatMap((column) => {
    const [first, last] = [column[0], column.at(-1)];
    const name = nameOf(column, dialect);
    // Functions may be called for what they do: nobody reads their columns.
    if (first === undefined || last === undefined || name === undefined || name === '*' || !isName(last))
      return [];
    const text = column.map(({ token }) => token.text.toLowerCase()).join(' ');
    const earlier = texts.get(name);
    texts.set(name, text);
    return earlier === undefined || earlier === text ? [] : [{ name, first, last }];
  });
}

/** Whether the column with that index is COUNT, which is never null: as such, and with FILTER, OVER and an alias behind it. */
export function isCount(
  items: readonly OutlineToken[],
  verb: OutlineToken,
  dialect: Dialect,
  index: number,
): boolean {
  if (verb.word !== 'SELECT' || resultColumnsOf(items, verb, dialect)?.isListed !== true) return false;
  const from = startOfList(items, verb, dialect) ?? items.length;
  const column = listFrom(items, from, { parent: verb.parent, dialect }).list[index] ?? [];
  const own = column.filter(({ parent }) => parent === verb.parent).map(({ word }) => word);
  return /^COUNT \( \)(?: FILTER \( \))?(?: OVER (?:\( \)|[^ ]+))?(?: AS [^ ]+| [^ ]+)?$/.test(own.join(' '));
}

function startOfList(
  items: readonly OutlineToken[],
  verb: OutlineToken,
  dialect: Dialect,
): number | undefined {
  const start = items.indexOf(verb) + 1;
  if (verb.word !== 'SELECT') {
    const returning = items.findLastIndex(
      ({ word, parent }) => word === 'RETURNING' && parent === verb.parent,
    );
    // `RETURNING WITH (OLD AS o) …`
    return returning < start || items[returning + 1]?.word === 'WITH' ? undefined : returning + 1;
  }
  let at = start;
  while (beforeList[dialect].has(items[at]?.word ?? '')) {
    const isOn =
      items[at]?.word === 'DISTINCT' && items[at + 1]?.word === 'ON' && items[at + 2]?.word === '(';
    at = isOn ? (items[at + 2]?.close ?? at + 2) + 1 : at + 1;
  }
  return at;
}

/** What stands between the commas of the list, each with what is inside its parentheses; and whether it certainly ends there. */
function listFrom(
  items: readonly OutlineToken[],
  from: number,
  { parent, dialect }: { readonly parent: number; readonly dialect: Dialect },
): { readonly list: OutlineToken[][]; readonly isCertain: boolean } {
  const columns: OutlineToken[][] = [];
  let isCertain = true;
  let column: OutlineToken[] = [];
  for (let index = from; index < items.length; index += 1) {
    const item = items[index];
    if (item === undefined) break;
    const isOwn = item.parent === parent && !item.inBrackets;
    if (item.word === ')' && items[parent]?.close === index) break;
    const mayEnd = isOwn && !isPart(items, index);
    if (mayEnd && behindList[dialect].has(item.word)) break;
    if (mayEnd && mayBeBehindList[dialect].has(item.word)) isCertain = false;
    if (isOwn && item.word === ',') {
      columns.push(column);
      column = [];
    } else column.push(item);
  }
  if (column.length > 0) columns.push(column);
  return { list: columns, isCertain };
}

/** Words at the end of an expression that are not a name. */
const noNames = wordSet(`
  NULL TRUE FALSE UNKNOWN END ISNULL NOTNULL ARRAY DEFAULT CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP LOCALTIME LOCALTIMESTAMP
  CURRENT_USER SESSION_USER USER CURRENT_ROLE CURRENT_CATALOG CURRENT_SCHEMA PRECISION VARYING ZONE NORMALIZED DOCUMENT
`);

/** The name of the column; `*` for all of a table; undefined if it is unknown. */
function nameOf(column: readonly OutlineToken[], dialect: Dialect): string | undefined {
  const own = column.filter(({ parent }) => parent === column[0]?.parent);
  const last = own.at(-1);
  if (last === undefined) return undefined;
  // PostgreSQL takes a name behind `t.*`, and passes over it.
  if (own.some(({ word }, index) => word === '*' && (own.length === 1 || own[index - 1]?.word === '.')))
    return '*';
  const isNamed = own.at(-2)?.word === 'AS' || isBareAlias(own) || isReference(own);
  if (isNamed) return isName(last) || dialect === 'mysql' ? nameIn(last, dialect) : undefined;
  if (mayHaveAlias(own, dialect)) return undefined;
  // MySQL names other columns by their text, which is no name that anybody would read by mistake.
  if (dialect === 'mysql') return column.map(({ token }) => token.text).join(' ');
  const value = withoutCast(own);
  const end = value?.at(-1);
  if (value === undefined || end === undefined) return undefined;
  if (isReference(value)) return nameIn(end, 'postgresql');
  // A cast of what follows an operator: `a || b::text`.
  return nameOfCall(value) ?? (value === own ? nameOfOperation(own) : undefined);
}

/** The name of `a::int` is `a`; undefined if more than a type may follow the `::`. */
function withoutCast(own: readonly OutlineToken[]): readonly OutlineToken[] | undefined {
  const at = own.findIndex(({ word }) => word === '::');
  if (at === -1) return own;
  const type = own.slice(at + 1).filter(({ word }) => !['(', ')', '[', ']'].includes(word));
  return type.length === 1 && type.every(isName) ? own.slice(0, at) : undefined;
}

/** `a`, `t.a`. */
function isReference(own: readonly OutlineToken[]): boolean {
  const last = own.at(-1);
  if (last === undefined || !isName(last) || (own.length === 1 && noNames.has(last.word))) return false;
  return (
    own.length % 2 === 1 && own.every((item, index) => (index % 2 === 1 ? item.word === '.' : isName(item)))
  );
}

/** What certainly ends an expression: a name behind it is an alias. */
const operandEnds = wordSet(') ]');
const operandKinds: ReadonlySet<string> = new Set(['number', 'placeholder', 'literal']);

/** Words before an operand that are none themselves: `NOT a`. */
const prefixes = wordSet('NOT BINARY INTERVAL');

/** What follows a number or string of an interval: `INTERVAL 1 DAY`. */
const units = wordSet('MICROSECOND SECOND MINUTE HOUR DAY WEEK MONTH QUARTER YEAR');

/** `a b`, `t.a b`, `count(*) b`, `1 b`, `a * t.a b`. */
function isBareAlias(own: readonly OutlineToken[]): boolean {
  const [last, before] = [own.at(-1), own.at(-2)];
  if (last === undefined || before === undefined || !isName(last) || noNames.has(last.word)) return false;
  if (units.has(last.word) && own.some(({ word }) => word === 'INTERVAL')) return false;
  if (operandEnds.has(before.word) || operandKinds.has(before.token.kind)) return true;
  if (before.word === 'END') return own[0]?.word === 'CASE';
  if (prefixes.has(before.word)) return false;
  const start = startOfReference(own, own.length - 2);
  return start !== undefined && (start === 0 || isOperator(own[start - 1]));
}

/** Where `a` or `t.a` begins that ends at this index. */
function startOfReference(own: readonly OutlineToken[], end: number): number | undefined {
  let start = end;
  if (!own.slice(end, end + 1).every(isName)) return undefined;
  while (own[start - 1]?.word === '.' && own.slice(start - 2, start - 1).some(isName)) start -= 2;
  return start;
}

/** Words that end an expression and are never an alias without AS. */
const endings = wordSet('END NULL TRUE FALSE UNKNOWN');

/** Whether the last word may be an alias, or a part of the expression: `a LIKE b c`, `a AT TIME ZONE b`. */
function mayHaveAlias(own: readonly OutlineToken[], dialect: Dialect): boolean {
  const [last, before] = [own.at(-1), own.at(-2)];
  if (last === undefined || before === undefined) return false;
  const isPossible = isName(last) || (dialect === 'mysql' && last.token.kind === 'literal');
  if (!isPossible || (dialect === 'mysql' && endings.has(last.word))) return false;
  return before.word !== '.' && before.word !== '::' && !isOperator(before) && !prefixes.has(before.word);
}

/** An operator between two operands or before one, but for `::`. */
function isOperator(item: OutlineToken | undefined): boolean {
  if (item === undefined) return false;
  return (
    item.word === 'AND' ||
    item.word === 'OR' ||
    (item.token.kind === 'operator' && !noOperators.has(item.word))
  );
}

const noOperators = wordSet('. , :: : ( ) [ ]');

/** Functions whose column PostgreSQL calls otherwise, and words that are none. */
const otherwise = wordSet(
  'TRIM EXTRACT CAST TREAT ROW NORMALIZE XMLSERIALIZE XMLROOT COLLATION IN ANY ALL SOME NOT AND OR CASE',
);

/** `count(*)`, `lower(a)`, `rank() OVER (…)`: the name of the function. */
function nameOfCall(own: readonly OutlineToken[]): string | undefined {
  const open = own.findIndex(({ word }) => word === '(');
  const name = own[open - 1];
  if (open < 1 || name === undefined || !isName(name) || otherwise.has(name.word)) return undefined;
  if (!isReference(own.slice(0, open))) return undefined;
  const rest = own.slice(open).filter(({ word }) => word !== '(' && word !== ')');
  const isWhole = rest.every(({ word }) => ['FILTER', 'OVER', 'WITHIN', 'GROUP'].includes(word));
  return isWhole ? nameIn(name, 'postgresql') : undefined;
}

/** Characters that operators begin with, and the words among them. */
const operators = wordSet('+ - * / % ^ | = < > ! ~ & @ # AND OR');

/** `a || b` has no name in PostgreSQL. */
function nameOfOperation(own: readonly OutlineToken[]): string | undefined {
  const isOne = own.some(({ word, inBrackets }) => operators.has(word) && !inBrackets);
  return isOne && own[0]?.word !== 'CASE' ? '?column?' : undefined;
}

function isName({ token }: OutlineToken): boolean {
  return token.kind === 'word' || token.kind === 'quoted-name';
}

/** The name as the server gives it: PostgreSQL folds what is not quoted, and cuts what is too long. */
function nameIn({ token }: OutlineToken, dialect: Dialect): string | undefined {
  if (dialect === 'postgresql' && new TextEncoder().encode(token.text).length > longestName) return undefined;
  if (token.kind === 'word') return dialect === 'postgresql' ? folded(token.text) : token.text;
  if (!['"', '`'].includes(token.text.charAt(0))) return undefined;
  const quote = token.text.at(-1) ?? '';
  return token.text.slice(1, -1).replaceAll(quote + quote, quote);
}

/** Bytes of a name that PostgreSQL keeps, unless it was compiled to keep more. */
const longestName = 63;

/** Other letters than those of ASCII are folded in databases of some encodings only. */
function folded(name: string): string | undefined {
  const lower = name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  return lower === name.toLowerCase() ? lower : undefined;
}
