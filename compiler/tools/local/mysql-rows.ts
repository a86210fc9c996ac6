/** Restores the rows of a MySQL or MariaDB database: changes are found with checksums and undone. */
import { quotedName } from '../../read/sql/quoted-name.js';

/** Runs SQL on the database in one session; values are strings. */
export interface MysqlSession {
  /** Runs one or more statements without results. */
  run(sql: string): Promise<void>;
  rows(sql: string): Promise<readonly (readonly string[])[]>;
}

interface KeptTable {
  readonly name: string;
  /** Columns that can be inserted. */
  readonly columns: string;
  /** The next AUTO_INCREMENT number. */
  readonly next: string;
  version: string;
}

/** Restoring rows may fire triggers that change other tables, which are then restored too. */
const maxRounds = 4;

export class MysqlRows {
  private constructor(
    private readonly session: MysqlSession,
    private readonly database: string,
    private readonly copies: string,
    private readonly tables: readonly KeptTable[],
  ) {}

  /** Stores the current rows in the database `copies`. */
  static async keep(session: MysqlSession, database: string, copies: string): Promise<MysqlRows> {
    await session.run(`DROP DATABASE IF EXISTS \`${copies}\`; CREATE DATABASE \`${copies}\``);
    // MySQL caches table statistics for a day.
    await session.run('SET SESSION information_schema_stats_expiry = 0').catch(() => undefined);
    const next = await nextNumbers(session, database);
    const tables: KeptTable[] = [];
    for (const [name, number] of next) {
      const columns = await session.rows(
        `SELECT COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = '${database}' AND TABLE_NAME = ${text(name)}
         AND COALESCE(GENERATION_EXPRESSION, '') = '' ORDER BY ORDINAL_POSITION`,
      );
      const list = columns.map(([column = '']) => quoted(column)).join(', ');
      await session.run(
        `CREATE TABLE ${quoted(copies)}.${quoted(name)} AS SELECT ${list} FROM ${quoted(name)}`,
      );
      tables.push({ name, columns: list, next: number, version: '' });
    }
    const rows = new MysqlRows(session, database, copies, tables);
    const versions = await rows.#versions();
    for (const table of tables) table.version = versions.get(table.name) ?? '';
    return rows;
  }

  async restore(): Promise<void> {
    for (let round = 0; round < maxRounds; round += 1) {
      const [versions, next] = [await this.#versions(), await nextNumbers(this.session, this.database)];
      const changed = this.tables.filter(
        (table) => versions.get(table.name) !== table.version || next.get(table.name) !== table.next,
      );
      if (changed.length === 0) return;
      await this.#replace(
        changed.flatMap(({ name, columns, next: number }) => [
          `TRUNCATE TABLE ${quoted(name)}`,
          `INSERT INTO ${quoted(name)} (${columns}) SELECT ${columns} FROM ${quoted(this.copies)}.${quoted(name)}`,
          ...(number === '' ? [] : [`ALTER TABLE ${quoted(name)} AUTO_INCREMENT = ${number}`]),
        ]),
      );
    }
  }

  async clear(): Promise<void> {
    await this.#replace(this.tables.map(({ name }) => `DELETE FROM ${quoted(name)}`));
  }

  /** Runs the statements in a mode that keeps an inserted zero as zero. */
  async #replace(statements: readonly string[]): Promise<void> {
    const mode =
      "SET @kept_mode = @@sql_mode, sql_mode = CONCAT(@@sql_mode, ',NO_AUTO_VALUE_ON_ZERO'), foreign_key_checks = 0";
    const back = 'SET sql_mode = @kept_mode, foreign_key_checks = 1';
    await this.session.run([mode, ...statements, back].join(';\n'));
  }

  async #versions(): Promise<Map<string, string>> {
    if (this.tables.length === 0) return new Map();
    const names = this.tables.map(({ name }) => quoted(name)).join(', ');
    const rows = await this.session.rows(`CHECKSUM TABLE ${names} EXTENDED`);
    return new Map(rows.map(([name = '', sum = '']) => [name.slice(name.indexOf('.') + 1), sum]));
  }
}

/** The tables with their next AUTO_INCREMENT number; empty for a table without one. */
async function nextNumbers(session: MysqlSession, database: string): Promise<Map<string, string>> {
  const rows = await session.rows(
    `SELECT TABLE_NAME, AUTO_INCREMENT FROM information_schema.TABLES
     WHERE TABLE_SCHEMA = '${database}' AND TABLE_TYPE = 'BASE TABLE' ORDER BY TABLE_NAME`,
  );
  return new Map(rows.map(([name = '', next = '']) => [name, next]));
}

function quoted(name: string): string {
  return quotedName(name, 'mysql');
}

function text(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}
