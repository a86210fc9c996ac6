/** Finds the column or table that is probably meant by an unknown name. */
import type { KnownTable } from '../operations/statements/statement-descriptions.js';
import { isUnambiguous, nearest } from '../../read/diagnostics/suggest.js';
import type { Span } from '../../read/source.js';
import type { Dialect } from '../../read/sql/dialect.js';
import { writtenName } from '../../read/sql/quoted-name.js';
import type { Refusal } from '../../read/sql/statement-description.js';

export interface MeantName {
  readonly hint: string;
  /** The most similar name; undefined if no name is similar. */
  readonly instead: string | undefined;
  readonly isSure: boolean;
}

/** The column suggested by PostgreSQL. */
export function meantColumn({ hint = '' }: Refusal, { source, start, end }: Span): MeantName | undefined {
  const [, name] = /^Perhaps you meant to reference the column "([^"]+)"\.?$/.exec(hint) ?? [];
  if (name === undefined) return undefined;
  const written = source.text.slice(start, end);
  const column = written.includes('.') ? name : name.slice(name.lastIndexOf('.') + 1);
  const isPlain = /^[\w.]+$/.test(written) && /^[a-z_][a-z0-9_.]*$/.test(column);
  return {
    hint: `Did you mean '${column}'?`,
    instead: isPlain ? column : undefined,
    isSure: isUnambiguous(written, [column]),
  };
}

/** The most similar table, because servers do not suggest tables. */
export function meantTable({ message, code }: Refusal, tables: readonly string[]): MeantName | undefined {
  const pattern =
    code === '1146' ? /^Table '(?:[^'.]*\.)?([^']*)' doesn't exist$/ : /^relation "([^"]*)" does not exist$/;
  const [, name] = pattern.exec(message) ?? [];
  if ((code !== '42P01' && code !== '1146') || name === undefined) return undefined;
  if (tables.length === 0) return { hint: noTables, instead: undefined, isSure: false };
  return oneOf(name, tables, 'The tables are', code === '1146' ? 'mysql' : 'postgresql');
}

/** The most similar column of the table, because PostgreSQL does not suggest columns in the column list of an INSERT or in SET. */
export function meantColumnOfTable(
  { message }: Refusal,
  tables: readonly KnownTable[],
): MeantName | undefined {
  const [, column = '', table] =
    /^column "([^"]+)" of relation "([^"]+)" does not exist$/.exec(message) ?? [];
  const columns = tables.find(({ name }) => name === table)?.columns ?? [];
  return columns.length === 0 ? undefined : oneOf(column, columns, 'Its columns are', 'postgresql');
}

const maxListed = 20;

/** The most similar name, and a list of all names. */
function oneOf(name: string, all: readonly string[], intro: string, dialect: Dialect): MeantName {
  const near = nearest(name, all);
  const more = all.length > maxListed ? ` and ${all.length - maxListed} more` : '';
  const list = `${intro} ${all.slice(0, maxListed).join(', ')}${more}.`;
  if (near === undefined) return { hint: list, instead: undefined, isSure: false };
  const instead = writtenName(near, dialect);
  return { hint: `Did you mean '${instead}'? ${list}`, instead, isSure: isUnambiguous(name, all) };
}

const noTables =
  'The database has no tables at all: load its schema first, or name another database with --database, or the file of the schema with --schema.';
