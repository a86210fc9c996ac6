/** Columns of a table as SQL has them. */
import { sql } from '../../../notation/sql-writer.js';
import { joined, type Written } from '../../../notation/written.js';
import type { Table, TableColumn } from '../../../analyze/database/read-tables.js';
import { isSecretNumber, secrecyOf } from './secret-columns.js';

/** The columns that clients may write. */
export function writable(table: Table): TableColumn[] {
  return table.columns.filter(({ isFilled }) => !isFilled);
}

/** Columns that hold a secret, judging by their names: clients write them, and never read them. */
export function secretsOf(table: Table): TableColumn[] {
  const { columns, primaryKey, foreignKeys, uniqueKeys } = table;
  const isKey = (name: string): boolean =>
    [...foreignKeys.map((key) => key.columns), ...uniqueKeys].some((key) => key.includes(name));
  return columns.filter((column) => {
    if (primaryKey.includes(column.name) || !canBeSecret(column)) return false;
    const secrecy = secrecyOf(column.name, table.name);
    return secrecy === 'secret' || (secrecy === 'likely' && !isKey(column.name));
  });
}

/** Columns in responses that a person should look at: their names may be those of secrets. */
export function doubtfulOf(table: Table): TableColumn[] {
  const { primaryKey, foreignKeys } = table;
  const references = [primaryKey, ...foreignKeys.map((key) => key.columns)].flat();
  return readable(table).filter(
    (column) =>
      !references.includes(column.name) &&
      canBeSecret(column) &&
      secrecyOf(column.name, table.name) !== 'public',
  );
}

/** Secrets are strings, bytes and JSON; a number is one as a PIN or the like. */
function canBeSecret({ name, type }: TableColumn): boolean {
  const kind = (type.element ?? type).name;
  return (
    /text|char|byte|blob|binary|uuid|json|hstore/.test(kind) ||
    (/^(?:\w*int\d?|numeric|decimal)$/.test(kind) && isSecretNumber(name))
  );
}

/** MySQL: values that are bound in the form of the column only where they alone are stored, not in a CASE. */
export function isBoundAlone({ type, isBytes }: TableColumn): boolean {
  return isBytes === true || type.name === 'json' || type.name === 'varbinary';
}

/** The columns that clients may read. Words that a trigger has made for searches are there for statements alone. */
export function readable(table: Table): TableColumn[] {
  const secrets = secretsOf(table);
  return table.columns.filter(
    (column) => !secrets.includes(column) && !(column.isFilled && column.type.name === 'tsvector'),
  );
}

/** The columns as a SELECT has them. */
export function selected(columns: readonly TableColumn[]): Written<'sql'> {
  return joined(
    columns.map(({ quoted, isSpatial }) =>
      isSpatial === true ? sql`ST_AsText(${quoted}) AS ${quoted}` : quoted,
    ),
    ', ',
  );
}

export function columnsOf(columns: readonly TableColumn[]): Written<'sql'> {
  return joined(
    columns.map(({ quoted }) => quoted),
    ', ',
  );
}

/** The columns of the primary key. */
export function keyOf(table: Table): TableColumn[] {
  return columnsNamed(table.columns, table.primaryKey) ?? [];
}

/** Undefined where one is missing: its name is that of a secret, or the user may not see it. */
export function columnsNamed(
  columns: readonly TableColumn[],
  names: readonly string[],
): TableColumn[] | undefined {
  const found = names.flatMap((name) => columns.find((column) => column.name === name) ?? []);
  return found.length === names.length ? found : undefined;
}

export function equal(column: TableColumn, value: Written<'sql'>): Written<'sql'> {
  const { quoted, type, cast, isDomain = false, isBytes = false } = column;
  const compared =
    isDomain && type.labels !== undefined && cast !== undefined ? sql`${quoted}::${cast}` : quoted;
  return sql`${compared} = ${isBytes ? sql`from_base64(${value})` : value}`;
}

/** Values of a column that have one order in the database. */
export function isSortable({ type, isSpatial }: TableColumn): boolean {
  const { name, element, labels } = type;
  return isSpatial !== true && element === undefined && labels === undefined && !unordered.has(name);
}

const unordered = new Set(
  'json jsonb xml point line lseg box path polygon circle xid cid set unknown'.split(' '),
);

/** The key, else the first column that has an order for certain. */
export function orderOf(table: Table): Written<'sql'>[] {
  if (table.primaryKey.length > 0) return keyOf(table).map(({ quoted }) => quoted);
  const first = readable(table).find(
    (column) =>
      isSortable(column) && /int|text|char|date|time|numeric|decimal|uuid|year/.test(column.type.name),
  );
  return first === undefined ? [] : [first.quoted];
}

/** The columns that identify a row for a person: the key, and the first two strings. */
export function labelsOf(table: Table, key: readonly string[]): TableColumn[] {
  const texts = table.columns.filter(
    ({ name, type, isBytes = false }) =>
      !key.includes(name) &&
      !secretsOf(table).some((secret) => secret.name === name) &&
      !isBytes &&
      /^(?:text|varchar|bpchar|char)$/.test(type.name),
  );
  return table.columns.filter((column) => key.includes(column.name) || texts.slice(0, 2).includes(column));
}
