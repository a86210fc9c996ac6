/** What can be written in SQL outside of placeholders: tables of the database, and columns of those that the statement names. */
import type { KnownTable } from '../analyze/statement-descriptions.js';
import { allFulfillments } from '../config/walk.js';
import type { At, Completion } from './completion-item.js';

/** What begins a part of a statement, and what is written behind it. */
const clauses: Readonly<Record<string, 'tables' | 'columns' | 'neither'>> = {
  ...{ FROM: 'tables', JOIN: 'tables', UPDATE: 'tables', INTO: 'tables' },
  ...{ SELECT: 'columns', WHERE: 'columns', SET: 'columns', ON: 'columns', BY: 'columns' },
  ...{ HAVING: 'columns', RETURNING: 'columns', USING: 'columns' },
  ...{ VALUES: 'neither', LIMIT: 'neither', OFFSET: 'neither', AS: 'neither' },
};
const clause = new RegExp(String.raw`\b(?:${Object.keys(clauses).join('|')})\b`, 'gi');

const name = String.raw`(?:\w+|"[^"]+"|\x60[^\x60]+\x60)`;
const table = String.raw`(?:${name}\s*\.\s*)?${name}(?:\s+(?:AS\s+)?${name})?`;
const lists = new RegExp(String.raw`\b(?:FROM|JOIN|UPDATE|INTO)\s+(${table}(?:\s*,\s*${table})*)`, 'gi');

/** `before`: what is written of the statement before the position. */
export function inSql(at: At, before: string): Completion[] {
  const found = databaseAt(at);
  if (found === undefined || found.tables.length === 0) return [];
  const written = /[\w$]*$/.exec(before)?.[0] ?? '';
  const sql = plain(before.slice(0, before.length - written.length));
  // Inside a string or a comment.
  if (sql === undefined) return [];
  const last = [...sql.matchAll(clause)].at(-1);
  const kind = last && clauses[last[0].toUpperCase()];
  if (last === undefined || kind === undefined || kind === 'neither') return [];
  const behind = sql.slice(last.index + last[0].length);
  const isQuoted = /^\s*"/.test(before);
  const offer = (
    names: readonly string[],
    of: Pick<Completion, 'kind'> & { readonly detail: string },
  ): Completion[] =>
    names.flatMap((label) => {
      const insert = asWritten(label, found.dialect);
      if (insert !== label && isQuoted) return [];
      return [{ label, ...of, ...(insert === label ? {} : { insert }), replaces: written.length }];
    });
  if (kind === 'tables' && !behind.includes('('))
    return /(?:^|,)\s+$/.test(behind)
      ? offer(
          found.tables.map((one) => one.name),
          { kind: 'name', detail: 'table' },
        )
      : [];
  const named = tablesIn(`${before}${after(at)}`, found.tables);
  const owner = new RegExp(String.raw`(${name})\s*\.\s*$`).exec(behind)?.[1];
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
  return { tables: analysis.descriptions.tables(datasource), dialect: datasource.dialect ?? 'postgresql' };
}

/** The rest of the statement: what is in its line, and the lines that are right of its key. */
function after({ text, offset, path }: At): string {
  const [own = '', ...lines] = text.slice(offset, offset + longest).split('\n');
  const end = lines.findIndex((line) => line.trim() !== '' && line.search(/\S/) <= path.column);
  return [own, ...lines.slice(0, end === -1 ? undefined : end)].join('\n');
}

/** Nobody reads further for a completion. */
const longest = 10_000;

/** Without strings, comments and placeholders; undefined where one of them is open. */
function plain(sql: string): string | undefined {
  const rest = sql
    .replaceAll(/'(?:[^']|'')*'|--[^\n]*\n|\/\*[^]*?\*\//g, ' ')
    .replaceAll(/:\[(?:[^[\]]|\[[^[\]]*\])*\]/g, '?');
  return /'|--|\/\*/.test(rest) ? undefined : rest;
}

interface NamedTable {
  readonly table: KnownTable;
  /** What its columns can be written behind. */
  readonly aliases: readonly string[];
}

function tablesIn(statement: string, tables: readonly KnownTable[]): NamedTable[] {
  return [...statement.matchAll(lists)]
    .flatMap(([, list = '']) => list.split(','))
    .flatMap((one) => {
      const [, own = '', alias] =
        new RegExp(String.raw`^\s*(?:${name}\s*\.\s*)?(${name})(?:\s+(?:AS\s+)?(${name}))?`, 'i').exec(one) ??
        [];
      const found = tables.find((each) => each.name.toLowerCase() === unquoted(own).toLowerCase());
      if (found === undefined) return [];
      const isAlias = alias !== undefined && !reserved.test(alias);
      return [{ table: found, aliases: isAlias ? [unquoted(alias)] : [unquoted(own)] }];
    });
}

const reserved =
  /^(?:WHERE|SET|ON|USING|JOIN|INNER|LEFT|RIGHT|FULL|CROSS|NATURAL|GROUP|ORDER|HAVING|LIMIT|OFFSET|FOR|UNION|VALUES|SELECT|RETURNING|DEFAULT)$/i;

function unquoted(written: string): string {
  return /^["`]/.test(written) ? written.slice(1, -1) : written;
}

function asWritten(own: string, dialect: 'postgresql' | 'mysql'): string {
  if (dialect === 'postgresql')
    return /^[a-z_][a-z0-9_]*$/.test(own) ? own : `"${own.replaceAll('"', '""')}"`;
  return /^[A-Za-z_]\w*$/.test(own) ? own : `\`${own.replaceAll('`', '``')}\``;
}
