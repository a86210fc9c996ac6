/** Opens datasources on the private servers like a generated service. */
import { mysql } from '../../../runtime/mysql/mysql.js';
import { postgres } from '../../../runtime/postgres/postgres.js';
import type { DatabaseDefinition } from '../../../runtime/sql/connection-settings.js';
import type { DatabaseDatasource } from '../../../runtime/sql/datasource.js';
import type { Json, Row } from '../../../runtime/handler/json.js';
import type { SqlTemplate } from '../../../runtime/sql/sql-template.js';
import type { AttachedServer } from '../../helpers/database-server.js';
import { sharedMariadb, sharedPostgres } from '../../helpers/shared-servers.js';
import { testCall } from '../../helpers/test-call.js';

/** A datasource, its server, and the name of its database. */
export interface TestDatasource {
  readonly datasource: DatabaseDatasource;
  readonly server: AttachedServer;
  readonly database: string;
}

/** Creates a database on the shared PostgreSQL server, and opens it. */
export async function openPostgres(
  database: string,
  definition: Partial<DatabaseDefinition> = {},
  options = '',
): Promise<TestDatasource> {
  const server = await sharedPostgres();
  await server.createDatabase(database);
  return {
    server,
    database,
    datasource: open(postgres({ name: 'testdb', ...definition }), server, database, options),
  };
}

/** Creates a database on the shared MariaDB server, and opens it. */
export async function openMariadb(
  database: string,
  definition: Partial<DatabaseDefinition> = {},
): Promise<TestDatasource> {
  const server = await sharedMariadb();
  await server.createDatabase(database);
  return { server, database, datasource: open(mysql({ name: 'testdb', ...definition }), server, database) };
}

/** Opens a datasource on an existing database. */
export function open(
  datasource: DatabaseDatasource,
  server: AttachedServer,
  database: string,
  options = '',
): DatabaseDatasource {
  datasource.open({ url: server.jdbcUrl(database) + options, user: server.user, password: server.password });
  return datasource;
}

/** Runs one statement as a READ. */
export function read(
  datasource: DatabaseDatasource,
  sql: string | SqlTemplate,
  values: readonly Json[] = [],
): Promise<Row[]> {
  return datasource.read({ operation: 'GET /test', fulfillment: 'rows', sql })(testCall(), values);
}

/** Runs one statement as an UPDATE. */
export function update(
  datasource: DatabaseDatasource,
  sql: string | SqlTemplate,
  values: readonly Json[] = [],
): Promise<Row[]> {
  return datasource.update({ operation: 'POST /test', fulfillment: 'change', sql })(testCall(), values);
}
