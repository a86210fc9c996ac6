/** The reason why MySQL or MariaDB refuses a statement, and the position, derived from the reported name or the text after the position. */
import { parseText } from '../../read/sql/parse/parse-text.js';
import { nodesByItem, type Item, type SqlTree } from '../../read/sql/parse/tree.js';
import type { ServerResult } from './server.js';

/** An error from the server. */
export interface MysqlError {
  readonly number: number;
  /** SQLSTATE. */
  readonly state: string;
  readonly message: string;
}

/** Missing privileges (also of a view's definer) and overloaded servers: not errors of the statement. */
const notOfStatement = new Set([1044, 1045, 1142, 1143, 1227, 1356, 1370, 1410, 1461]);

/** Errors that concern only the statement but do not have a specific SQLSTATE. */
const ofStatement = new Set([
  ...[1093, 1111, 1140, 1210, 1221, 1235, 1267, 1270, 1271, 1288, 1295, 1348, 1393, 1394, 1395, 1442],
  ...[1471, 3065, 4078, 4079, 4161],
]);

export function mysqlRefusal({ number, state, message }: MysqlError, text: string): ServerResult {
  if (notOfStatement.has(number) || !(/^(?:42|21|22|23)/.test(state) || ofStatement.has(number)))
    return { unchecked: message };
  const at = number === 1064 ? syntaxPosition(message, text) : namedPosition(number, message, text);
  const words = number === 1064 ? syntaxWords(message) : message.replace(/\.$/, '');
  return { refusal: { message: words, code: String(number), ...(at === undefined ? {} : { at }) } };
}

const near = /right syntax to use near '([^]*)' at line (\d+)$/;

/** The message without the common prefix of syntax errors. */
function syntaxWords(message: string): string {
  const rest = near.exec(message)?.[1];
  if (rest === undefined) return message.replace(/\.$/, '');
  const [line = ''] = rest.split('\n');
  if (rest.trim() === '') return 'syntax error at its end';
  return `syntax error near '${line.length > 40 ? `${line.slice(0, 40).trimEnd()} …` : line.trimEnd()}'`;
}

/** The index of a syntax error: the server reports up to 80 bytes of the remaining text, and its line. */
function syntaxPosition(message: string, text: string): number | undefined {
  const [, rest, line] = near.exec(message) ?? [];
  if (rest === undefined) return undefined;
  if (text.endsWith(rest)) return text.length - rest.length;
  const shown = rest.replace(/(?:\ufffd|\?)*(?:\.\.\.)?$/, '');
  const positions: number[] = [];
  for (let at = text.indexOf(shown); at !== -1; at = text.indexOf(shown, at + 1)) positions.push(at);
  const isInLine = (at: number): boolean => text.slice(0, at).split('\n').length === Number(line);
  return positions.find(isInLine) ?? (positions.length === 1 ? positions[0] : undefined);
}

/** Patterns for the clause that the server names for a missing column, in MariaDB and MySQL. */
const clauses: readonly (readonly [RegExp, readonly string[]])[] = [
  [/'?(?:WHERE|where clause)'?/, ['WHERE']],
  [/'?(?:HAVING|having clause)'?/, ['HAVING']],
  [/'?(?:ORDER BY|order clause)'?/, ['ORDER']],
  [/'?(?:GROUP BY|group statement)'?/, ['GROUP']],
  [/'?(?:'ON'|on clause)'?/, ['ON']],
  [
    /'?(?:SELECT|field list|INSERT INTO|SET|RETURNING|VALUES)'?/,
    ['SELECT', 'SET', 'DUPLICATE', 'INTO', 'COLUMNS', 'RETURNING', 'VALUES', ''],
  ],
];

function namedPosition(number: number, message: string, text: string): number | undefined {
  const name =
    /['`]([^'`]+)['`]/.exec(message.replaceAll('`.`', '.'))?.[1] ??
    / ([\w.$]+) does not exist/.exec(message)?.[1];
  if (name === undefined) return undefined;
  const found = namesIn(parseText(text, 'mysql')).filter(({ parts, next }) => {
    const isCall = number === 1305 || number === 1630 || number === 1582 || number === 1584;
    if (isCall !== (next === '(') && number !== 1054) return false;
    return isSame(parts, name, number);
  });
  const rest = message.slice(message.indexOf(name) + name.length);
  const wanted = clauses.find(([pattern]) => pattern.test(rest))?.[1];
  const positions = found.filter(({ clause }) => wanted?.includes(clause) === true);
  // For duplicate names, the second occurrence is wrong.
  const isTwice = [1060, 1066, 1110].includes(number);
  return (isTwice ? found[1] : (positions[0] ?? found[0]))?.at;
}

/** A qualified name. */
interface Name {
  readonly parts: readonly string[];
  readonly at: number;
  readonly clause: string;
  /** The word or character after the name. */
  readonly next: string;
}

function namesIn(tree: SqlTree): Name[] {
  const { items } = tree;
  const around = nodesByItem(tree);
  const names: Name[] = [];
  for (let index = 0; index < items.length; index += 1) {
    const first = items[index];
    if (first === undefined || !isName(first)) continue;
    const parts = [textOf(first)];
    let last = index;
    for (
      let next = items[last + 2];
      items[last + 1]?.word === '.' && next !== undefined && (isName(next) || next.word === '*');
    ) {
      parts.push(textOf(next));
      last += 2;
      next = items[last + 2];
    }
    const node = around[index];
    const clause = (node?.kind === 'clause' ? node : node?.clause)?.name ?? '';
    names.push({ parts, at: first.token.start, clause, next: items[last + 1]?.word ?? '' });
    index = last;
  }
  return names;
}

/**
 * Whether the names match. The server may add the database before a table or function, and names the table for which a column or `*` was
 * requested.
 */
function isSame(parts: readonly string[], name: string, number: number): boolean {
  const [own, results] = [parts.join('.').toLowerCase(), name.toLowerCase()];
  if (own === results) return true;
  if ([1146, 1305, 1630].includes(number)) return results.endsWith(`.${own}`);
  return (number === 1051 || number === 1109) && parts[0]?.toLowerCase() === results.split('.').at(-1);
}

function isName({ token }: Item): boolean {
  return token.kind === 'word' || token.kind === 'quoted-name';
}

function textOf({ token }: Item): string {
  return token.text.replaceAll('`', '');
}
