/** The column or table that is probably meant by a name that the database does not have. */
import { isUnambiguous, nearest } from '../diagnostics/suggest.js';
import type { Span } from '../source.js';
import type { Refusal } from '../sql/statement-description.js';

export interface MeantName {
  readonly hint: string;
  /** Undefined where no name is near. */
  readonly instead: string | undefined;
  readonly isSure: boolean;
}

/** PostgreSQL names a column that may be meant. */
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

/** The server names no table that may be meant. */
export function meantTable({ message, code }: Refusal, tables: readonly string[]): MeantName | undefined {
  const pattern =
    code === '1146' ? /^Table '(?:[^'.]*\.)?([^']*)' doesn't exist$/ : /^relation "([^"]*)" does not exist$/;
  const [, name] = pattern.exec(message) ?? [];
  if ((code !== '42P01' && code !== '1146') || name === undefined) return undefined;
  if (tables.length === 0) return { hint: noTables, instead: undefined, isSure: false };
  const near = nearest(name, tables);
  const list = tables.slice(0, maxTables).join(', ');
  const all = `The tables are ${list}${tables.length > maxTables ? ` and ${tables.length - maxTables} more` : ''}.`;
  return near === undefined
    ? { hint: all, instead: undefined, isSure: false }
    : {
        hint: `Did you mean '${near}'? ${all}`,
        instead: /^[a-z_][a-z0-9_]*$/.test(near) ? near : undefined,
        isSure: isUnambiguous(name, tables),
      };
}

const maxTables = 20;

const noTables =
  'The database has no tables at all: load its schema first, or name another database with --database, or the file of the schema with --schema.';
