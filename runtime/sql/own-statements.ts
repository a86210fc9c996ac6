/** Statements on the tables that the runtime keeps for itself. They run as the datasource user, without the datasource context. */
import type { DatabaseDatasource } from './datasource.js';
import type { SqlTemplate } from './sql-template.js';
import { createStatement, type Statement } from './statement.js';

export interface OwnStatements {
  /** A statement that reads rows, and is not tried again after a failure. */
  readonly read: (sql: string | SqlTemplate) => Statement;
  /** `isAtomic`: false for statements that a failure may leave half done, such as CREATE TABLE on MySQL. */
  readonly update: (sql: string | SqlTemplate, isAtomic?: boolean) => Statement;
}

/** `operation`: the name of the statements in logs. */
export function ownStatements(
  database: Pick<DatabaseDatasource, 'name' | 'kind' | 'use'>,
  operation: string,
): OwnStatements {
  const site = { operation, fulfillment: database.name, asUser: true as const };
  return {
    read: (sql) => createStatement(database, { ...site, sql, retry: false }, 'read'),
    update: (sql, isAtomic = true) => {
      const definition = { ...site, sql, ...(isAtomic ? {} : { atomic: false as const }) };
      return createStatement(database, definition, 'update');
    },
  };
}
