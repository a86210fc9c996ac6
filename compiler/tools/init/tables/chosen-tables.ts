/** Chooses the tables that get operations. Tables of tools, sessions and settings are only chosen if named explicitly. */
import type { Table } from '../../../analyze/database/read-tables.js';
import { looksLikePlaceholder } from '../../../read/expression/parse/placeholder.js';
import { wordSet } from '../../../read/wordset.js';
import { secrecyOf } from './secret-columns.js';
import { readable } from './table-columns.js';
import { titleOf } from './table-operation.js';

/** Table names, with `*` for any characters. */
export interface TableChoice {
  /** Only these tables; if undefined, all tables without a reason to omit them. */
  readonly tables?: readonly string[] | undefined;
  readonly except?: readonly string[] | undefined;
}

export interface LeftOutTable {
  readonly table: Table;
  readonly reason: string;
  /** Whether naming the table in `--tables` writes operations for it. */
  readonly canBeNamed: boolean;
}

export interface ChosenTables {
  readonly chosen: readonly Table[];
  readonly leftOut: readonly LeftOutTable[];
  /** Chosen names that do not match any table. */
  readonly unknown: readonly string[];
}

export function chooseTables(
  dialect: 'postgresql' | 'mysql',
  tables: readonly Table[],
  { tables: only, except = [] }: TableChoice,
): ChosenTables {
  const chosen: Table[] = [];
  const leftOut: LeftOutTable[] = [];
  for (const table of tables) {
    if (except.some((name) => isMeant(table, name))) continue;
    if (only?.some((name) => isMeant(table, name)) === false) continue;
    const impossible = impossibleReason(table, dialect);
    const isNamed = only?.some((name) => !name.includes('*') && isMeant(table, name)) === true;
    const reason = impossible ?? (isNamed ? undefined : reasonAgainst(table));
    if (reason === undefined) chosen.push(table);
    else leftOut.push({ table, reason, canBeNamed: impossible === undefined });
  }
  const unknown = [...(only ?? []), ...except].filter(
    (name) => !tables.some((table) => isMeant(table, name)),
  );
  return { chosen, leftOut, unknown };
}

/** Whether the name matches the table, with or without schema. */
function isMeant(table: Table, name: string): boolean {
  const pattern = name
    .split('*')
    .map((part) => part.replaceAll(/[\\^$.+?()[\]{}|]/g, String.raw`\$&`))
    .join('.*');
  const written = new RegExp(`^${pattern}$`, 'i');
  return written.test(table.name) || written.test(titleOf(table));
}

function impossibleReason(table: Table, dialect: 'postgresql' | 'mysql'): string | undefined {
  // Anyone who can write rows of the outbox can send requests with the service's credentials.
  if (/^apikiln_/i.test(table.name)) return 'a table of a running apikiln service';
  if (table.columns.length === 0) return 'it has no columns';
  const key = table.primaryKey.find((name) => secrecyOf(name, table.name) === 'secret');
  if (key !== undefined) return `the name of its key '${key}' is that of a secret`;
  if (hasPlaceholder(table))
    return 'a name or a default of it has the characters `:[` of a placeholder, which statements cannot have';
  if (dialect === 'mysql' && table.columns.some(({ name }) => name === '__proto__'))
    return 'it has a column named `__proto__`, which the driver of MySQL cannot read';
  return readable(table).length === 0 ? 'the names of all of its columns are those of secrets' : undefined;
}

/** Whether SQL with the table's names and defaults would contain an unintended placeholder. */
function hasPlaceholder({ quoted, columns }: Table): boolean {
  const parts = columns.flatMap((column) => [column.quoted, column.default, column.cast, column.keyValue]);
  return [quoted, ...parts].some((text) =>
    [...(text ?? '').matchAll(/:\[/g)].some(({ index }) =>
      (['A', 'B'] as const).some((syntax) => looksLikePlaceholder(text ?? '', index + 2, syntax)),
    ),
  );
}

function reasonAgainst({ name, columns }: Table): string | undefined {
  const words = name.toLowerCase();
  if (toolTables.has(words) || /^(?:flyway|liquibase|databasechangelog|atlas_schema_revisions)/.test(words))
    return 'a table of a tool for migrations';
  const has = (names: ReadonlySet<string>): boolean =>
    columns.some((column) => names.has(plain(column.name)));
  if (/(?:^|[_a-z])sessions?$/.test(words) && has(sessionColumns)) return 'sessions of users';
  if (/(?:setting|config|configuration|option|preference|parameter|propert(?:y|ie)|variable)s?$/.test(words))
    return has(keyColumns) && has(valueColumns) ? 'settings by name, which may be passwords' : undefined;
  return undefined;
}

/** Reduces `optionValue` and `option_value` to `value`. */
function plain(column: string): string {
  return column
    .toLowerCase()
    .replaceAll(/[^a-z\d]/g, '')
    .replace(/^(?:option|setting|config|property|param(?:eter)?|variable|preference|meta)(?=.)/, '');
}

const keyColumns = wordSet('key name code var id slug path');
const valueColumns = wordSet('value val values data json content stringvalue textvalue');
const sessionColumns = wordSet(`
  data sess payload expire expires expiresat expiredat expiredate expiry useragent ip ipaddress token sessiontoken sessionkey sessiondata
  refreshtoken lastactivity lastactive sid
`);

/**
 * Tables of Flyway, Liquibase, Rails, Knex, Prisma, Alembic, Django, goose, Entity Framework, TypeORM, Sequelize, Doctrine, MikroORM,
 * Drizzle, …
 */
const toolTables = wordSet(`
  flyway_schema_history schema_version databasechangelog databasechangeloglock schema_migrations ar_internal_metadata
  knex_migrations knex_migrations_lock _prisma_migrations alembic_version alembic_version_history django_migrations goose_db_version
  goose_migrations __efmigrationshistory __migrationhistory typeorm_metadata migrations migrations_lock migration_versions
  sequelizemeta sequelizedata sequelize_meta doctrine_migration_versions mikro_orm_migrations __drizzle_migrations drizzle_migrations
  pgmigrations atlas_schema_revisions _sqlx_migrations __diesel_schema_migrations gorp_migrations phinxlog umzug umzug_migrations
  umzug_meta kysely_migration kysely_migration_lock dbmate_migrations schema_info schema_seeds data_migrations south_migrationhistory
  bun_migrations bun_migration_locks rambler_migrations gorm_migrations xormigrate refinery_schema_history seaql_migrations
  node_migrations db_migrate dbmigrate versioninfo schemaversions schemaversion yoyo_migration yoyo_migrations yoyo_lock _yoyo_migration
  _yoyo_version _yoyo_log yoyo_tmp migrate_version mongockchangelog play_evolutions play_evolutions_lock ecto_migrations
  cake_d_c_users_phinxlog tern_schema_version darwin_migrations dbup_schemaversions
  hdb_migrations hdb_version directus_migrations strapi_migrations strapi_migrations_internal
  payload_migrations supabase_migrations
`);
