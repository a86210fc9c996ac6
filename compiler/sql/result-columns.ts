/** The names of a statement's result columns, as far as its text alone shows them. */
import type { Dialect } from './dialect.js';
import type { OutlineToken } from './outline.js';
import { wordSet } from './word-set.js';

export interface ResultColumns {
  /** In order; undefined for a column whose name only the server knows. Names of PostgreSQL are in its letter case. */
  readonly names: readonly (string | undefined)[];
  /** False where there can be more, as with `*`. */
  readonly isWhole: boolean;
}

const beforeList: Record<Dialect, ReadonlySet<string>> = {
  postgresql: wordSet('ALL DISTINCT'),
  mysql: wordSet(`
    ALL DISTINCT DISTINCTROW HIGH_PRIORITY STRAIGHT_JOIN SQL_SMALL_RESULT SQL_BIG_RESULT SQL_BUFFER_RESULT
    SQL_NO_CACHE SQL_CACHE SQL_CALC_FOUND_ROWS
  `),
};

const behindList = wordSet(
  'FROM INTO WHERE GROUP HAVING ORDER LIMIT OFFSET FETCH WINDOW UNION EXCEPT INTERSECT MINUS FOR PROCEDURE LOCK',
);

/** The result columns of the statement with that verb; undefined if its text does not list them. */
export function resultColumnsOf(
  items: readonly OutlineToken[],
  verb: OutlineToken,
  dialect: Dialect,
): ResultColumns | undefined {
  const from = startOfList(items, verb, dialect);
  if (from === undefined) return undefined;
  const columns = listFrom(items, from, verb.parent).map((column) => nameOf(column, dialect));
  if (columns.length === 0) return undefined;
  return {
    names: columns.filter((column) => column !== '*'),
    isWhole: !columns.includes('*') && !columns.includes(undefined),
  };
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

/** The items between the commas of the list, each with the content of its parentheses. */
function listFrom(items: readonly OutlineToken[], from: number, parent: number): OutlineToken[][] {
  const columns: OutlineToken[][] = [];
  let column: OutlineToken[] = [];
  for (let index = from; index < items.length; index += 1) {
    const item = items[index];
    if (item === undefined) break;
    const isOwn = item.parent === parent && !item.inBrackets;
    const before = items[index - 1]?.word ?? '';
    if (item.word === ')' && items[parent]?.close === index) break;
    // `a IS DISTINCT FROM b`, and names behind a dot or AS.
    if (isOwn && behindList.has(item.word) && !['.', 'AS', 'DISTINCT'].includes(before)) break;
    if (isOwn && item.word === ',') {
      columns.push(column);
      column = [];
    } else column.push(item);
  }
  if (column.length > 0) columns.push(column);
  return columns;
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
  if (last.word === '*' && (own.length === 1 || own.at(-2)?.word === '.')) return '*';
  const isNamed = own.at(-2)?.word === 'AS' || isBareAlias(own) || isReference(own);
  if (isNamed) return isName(last) || dialect === 'mysql' ? nameIn(last, dialect) : undefined;
  // MySQL names other columns by their text; nobody reads such a name by accident.
  if (dialect === 'mysql') return column.map(({ token }) => token.text).join(' ');
  const value = withoutCast(own);
  return value === undefined ? undefined : nameOfValue(value);
}

function nameOfValue(own: readonly OutlineToken[]): string | undefined {
  const last = own.at(-1);
  if (last !== undefined && isReference(own)) return nameIn(last, 'postgresql');
  return nameOfCall(own) ?? nameOfOperation(own);
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

/** `a b`, `t.a b`, `count(*) b`, `1 b`. */
function isBareAlias(own: readonly OutlineToken[]): boolean {
  const [last, before] = [own.at(-1), own.at(-2)];
  if (last === undefined || before === undefined || !isName(last) || noNames.has(last.word)) return false;
  if (before.word === ')' || before.token.kind === 'number' || before.token.kind === 'placeholder')
    return true;
  if (before.word === 'END') return own[0]?.word === 'CASE';
  return isReference(own.slice(0, -1));
}

/** Functions whose column has another name on PostgreSQL, and words that are not functions. */
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

/** The name that the server uses: PostgreSQL folds unquoted names. */
function nameIn({ token }: OutlineToken, dialect: Dialect): string | undefined {
  if (token.kind === 'word') return dialect === 'postgresql' ? token.text.toLowerCase() : token.text;
  if (!['"', '`'].includes(token.text.charAt(0))) return undefined;
  const quote = token.text.at(-1) ?? '';
  return token.text.slice(1, -1).replaceAll(quote + quote, quote);
}
