/** Completions in SQL outside of placeholders: tables of the database, and columns of the statement's tables. */
import type { KnownTable } from '../../analyze/operations/statements/statement-descriptions.js';
import { allFulfillments } from '../../read/config/walk.js';
import { writtenName } from '../../read/sql/quoted-name.js';
import { noPlaceholders } from '../../read/sql/lexer/placeholders.js';
import { isLineComment, type Token } from '../../read/sql/lexer/token.js';
import type { Dialect } from '../../read/sql/dialect.js';
import { lexSql } from '../../read/sql/lexer/lexer.js';
import type { At, Completion } from './completion-item.js';

/** Keywords that start a part of a statement, and the kind of names that follow. */
const clauses: Readonly<Record<string, 'tables' | 'columns' | 'neither'>> = {
  ...{ FROM: 'tables', JOIN: 'tables', UPDATE: 'tables', INTO: 'tables' },
  ...{ SELECT: 'columns', WHERE: 'columns', SET: 'columns', ON: 'columns', BY: 'columns' },
  ...{ HAVING: 'columns', RETURNING: 'columns', USING: 'columns' },
  ...{ VALUES: 'neither', LIMIT: 'neither', OFFSET: 'neither', AS: 'neither' },
};
/** `before`: the text of the statement up to the position. */
export function inSql(at: At, before: string): Completion[] {
  const found = databaseAt(at);
  if (found === undefined || found.tables.length === 0) return [];
  let start = before.length;
  while (/[\w$]/.test(before.charAt(start - 1))) start -= 1;
  const written = before.length - start;
  const sql = before.slice(0, start);
  const tokens = tokensOf(sql, found.dialect);
  if (isEnclosed(tokens.at(-1))) return [];
  const last = tokens.findLastIndex(({ kind, text }) => kind === 'word' && text.toUpperCase() in clauses);
  const kind = clauses[tokens[last]?.text.toUpperCase() ?? ''];
  if (kind === undefined || kind === 'neither') return [];
  const behind = tokens.slice(last + 1).filter(isContent);
  const end = behind.at(-1)?.text;
  const offer = (
    names: readonly string[],
    of: Pick<Completion, 'kind'> & { readonly detail: string },
  ): Completion[] =>
    names.flatMap((label) => {
      const insert = writtenName(label, found.dialect);
      if (insert !== label && isInQuotes(before)) return [];
      return [{ label, ...of, ...(insert === label ? {} : { insert }), replaces: written }];
    });
  if (kind === 'tables' && !behind.some(({ text }) => text === '('))
    return (end === undefined || end === ',') && tokens.at(-1)?.kind === 'space'
      ? offer(
          found.tables.map((one) => one.name),
          { kind: 'name', detail: 'table' },
        )
      : [];
  const named = tablesIn(tokensOf(`${before}${after(at)}`, found.dialect).filter(isContent), found.tables);
  const owner = end === '.' ? behind.at(-2)?.text : undefined;
  const meant =
    owner === undefined ? named : named.filter(({ aliases }) => aliases.includes(unquoted(owner)));
  const seen = new Set<string>();
  return meant.flatMap(({ table: { name: ownName, columns } }) =>
    offer(
      columns.filter((column) => !seen.has(column) && seen.add(column)),
      { kind: 'column', detail: `column of ${ownName}` },
    ),
  );
}

/** The database of the fulfillment at the position. */
function databaseAt({
  analysis,
  target,
  offset,
}: At): { readonly tables: readonly KnownTable[]; readonly dialect: 'postgresql' | 'mysql' } | undefined {
  const operation = analysis?.config.operations.find((one) => one.name.value === target.entry);
  const around = [...allFulfillments(operation?.fulfillments ?? [])]
    .flatMap(({ fulfillment }) => ('datasource' in fulfillment ? [fulfillment] : []))
    .filter((one) => Math.min(one.name.span.start, one.datasource.span.start) <= offset)
    .at(-1);
  const all = (analysis?.config.datasources ?? []).filter(({ type }) => type === 'db');
  const datasource =
    all.find((one) => one.name.value === around?.datasource.value) ?? (all.length === 1 ? all[0] : undefined);
  if (analysis === undefined || datasource === undefined) return undefined;
  const tables = analysis.descriptions.tables(datasource).filter(({ schema }) => schema === undefined);
  return { tables, dialect: datasource.dialect ?? 'postgresql' };
}

/** The remaining text of the statement: the rest of the line, and lines indented more deeply than the key. */
function after({ text, offset, path }: At): string {
  const [own = '', ...lines] = text.slice(offset, offset + longest).split('\n');
  const end = lines.findIndex((line) => line.trim() !== '' && line.search(/\S/) <= path.column);
  return [own, ...lines.slice(0, end === -1 ? undefined : end)].join('\n');
}

/** Maximum characters to scan for a completion. */
const longest = 10_000;

/** Whether the SQL is in a double-quoted YAML string, where a double-quoted name would end the string. */
function isInQuotes(before: string): boolean {
  return before.trimStart().startsWith('"');
}

/** SQL tokens, without placeholders. */
function tokensOf(before: string, dialect: Dialect): Token[] {
  const sql = isInQuotes(before) ? before.trimStart().slice(1) : before;
  let depth = 0;
  return lexSql(sql, dialect, noPlaceholders).filter(({ text }, index, all) => {
    const opens = text === '[' && (depth > 0 || all[index - 1]?.text === ':');
    if (opens) depth += 1;
    const isInside = depth > 0;
    if (isInside && text === ']') depth -= 1;
    return !isInside;
  });
}

/** Whether the characters that follow belong to the token: an unclosed string or comment. */
function isEnclosed(token: Token | undefined): boolean {
  if (token === undefined || !('closed' in token)) return false;
  return !token.closed || (isLineComment(token) && !token.text.endsWith('\n'));
}

function isContent({ kind }: Token): boolean {
  return kind !== 'space' && kind !== 'comment';
}

interface NamedTable {
  readonly table: KnownTable;
  /** Names that qualify the table's columns. */
  readonly aliases: readonly string[];
}

/** The tables of the statement with their aliases: `FROM shop.orders o, items AS i`. */
function tablesIn(tokens: readonly Token[], tables: readonly KnownTable[]): NamedTable[] {
  const named: NamedTable[] = [];
  for (const [index, { text }] of tokens.entries()) {
    if (clauses[text.toUpperCase()] !== 'tables') continue;
    for (let at = index; at === index || tokens[at]?.text === ',';) {
      at += 1;
      while (isName(tokens[at]) && tokens[at + 1]?.text === '.') at += 2;
      const own = tokens[at];
      if (!isName(own)) break;
      at += tokens[at + 1]?.text.toUpperCase() === 'AS' ? 2 : 1;
      const next = tokens[at];
      const alias = isName(next) && !reserved.test(next.text) ? next : undefined;
      if (alias !== undefined) at += 1;
      const found = tables.find((one) => one.name.toLowerCase() === unquoted(own.text).toLowerCase());
      if (found !== undefined) named.push({ table: found, aliases: [unquoted((alias ?? own).text)] });
    }
  }
  return named;
}

function isName(token: Token | undefined): token is Token {
  return token?.kind === 'word' || token?.kind === 'quoted-name';
}

const reserved =
  /^(?:WHERE|SET|ON|USING|JOIN|INNER|LEFT|RIGHT|FULL|CROSS|NATURAL|GROUP|ORDER|HAVING|LIMIT|OFFSET|FOR|UNION|VALUES|SELECT|RETURNING|DEFAULT)$/i;

function unquoted(written: string): string {
  return /^["`]/.test(written) ? written.slice(1, -1) : written;
}
