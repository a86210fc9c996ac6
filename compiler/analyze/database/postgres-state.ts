/** Reads the state of a PostgreSQL server that determines its results, in a single query. */
import type { ConnectionSettings } from '../../../runtime/sql/connection-settings.js';
import { readTables, tablesAsJson, type Connection } from './describe-postgres.js';
import { textOf, unreachable, type ServerState } from './server.js';

const kinds = "('r', 'p', 'v', 'm', 'f', 'c')";
const passing = "SELECT oid FROM pg_catalog.pg_namespace WHERE nspname ~ '^pg_(temp|toast)'";

/**
 * Catalog queries with three columns each. They compare contents, because another server at the same address may use the same numbers for
 * other objects.
 */
const catalogues = [
  `SELECT oid, nspname, pg_catalog.has_schema_privilege(oid, 'USAGE')::text FROM pg_catalog.pg_namespace WHERE nspname !~ '^pg_(temp|toast)'`,
  `SELECT oid, relname, pg_catalog.concat_ws(' ', relnamespace, relkind, reltype, reloftype)
   FROM pg_catalog.pg_class WHERE oid >= 16384 AND relkind IN ${kinds} AND relnamespace NOT IN (${passing})`,
  `SELECT a.attrelid, a.attnum::text, a::text
   FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
   WHERE c.oid >= 16384 AND a.attnum > 0 AND c.relkind IN ${kinds} AND c.relnamespace NOT IN (${passing})`,
  `SELECT oid, typname, pg_catalog.concat_ws(' ', typnamespace, typtype, typcategory, typbasetype, typelem)
   FROM pg_catalog.pg_type WHERE oid >= 16384 AND typnamespace NOT IN (${passing})`,
  'SELECT enumtypid, enumlabel, enumsortorder::text FROM pg_catalog.pg_enum',
  `SELECT oid, proname, pg_catalog.concat_ws(' ', pronamespace, prorettype, proretset, proargtypes, proallargtypes, proargnames, pronargdefaults, provariadic)
   FROM pg_catalog.pg_proc WHERE oid >= 16384`,
  'SELECT oid, oprname, o::text FROM pg_catalog.pg_operator o WHERE oid >= 16384',
  "SELECT oid, '', c::text FROM pg_catalog.pg_cast c WHERE oid >= 16384",
  `SELECT oid, conname, pg_catalog.concat_ws(' ', conrelid, contype, conkey, condeferrable)
   FROM pg_catalog.pg_constraint WHERE contype IN ('p', 'u')`,
  `SELECT oid, rulename, pg_catalog.concat_ws(' ', ev_class, ev_type, is_instead, pg_catalog.md5(ev_action::text))
   FROM pg_catalog.pg_rewrite WHERE oid >= 16384`,
  `SELECT oid, tgname, pg_catalog.concat_ws(' ', tgrelid, tgtype, tgenabled) FROM pg_catalog.pg_trigger WHERE NOT tgisinternal`,
];

const digest = catalogues
  .map(
    (query) =>
      `(SELECT pg_catalog.string_agg(pg_catalog.md5(pg_catalog.concat_ws(' ', a, b, c)), '' ORDER BY a, b, c) FROM (${query}) AS t (a, b, c))`,
  )
  .join(', ');

/** Includes privileges: schemas of the search path that the user may not use are as invisible as missing ones. */
const question = `
  SELECT pg_catalog.current_setting('server_version'), pg_catalog.current_setting('search_path'),
    pg_catalog.md5(pg_catalog.concat_ws(' ', ${digest})),
    NOT EXISTS (
      SELECT FROM pg_catalog.pg_namespace n
      WHERE NOT pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND n.nspname = ANY (
        SELECT pg_catalog.btrim(name, ' "') FROM pg_catalog.unnest(pg_catalog.string_to_array(pg_catalog.current_setting('search_path'), ',')) AS name)
    ),
    ${tablesAsJson}`;

/** Reads the state of the server. Throws a DatabaseError if a connection pooler does not pass on the schema in the URL. */
export async function lookAtPostgres(
  connection: Connection,
  settings: ConnectionSettings,
): Promise<ServerState> {
  const [row = []] = await connection.query(question);
  const [version, path, contents, isWhole, tables] = row.map(textOf);
  if (settings.currentSchema !== undefined && path !== settings.currentSchema) {
    const why = 'a pooler before it does not pass on currentSchema; name the server itself';
    throw unreachable(settings, why);
  }
  return {
    fingerprint: `${version ?? ''} ${path ?? ''} ${contents ?? ''}`,
    tables: readTables(tables),
    isWhole: isWhole === 't',
  };
}
