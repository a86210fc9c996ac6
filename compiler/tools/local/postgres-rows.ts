/** Restores the rows of a PostgreSQL database: changes are found with row versions and undone. */
import { textOf } from '../../analyze/database/server.js';

/** Runs SQL on the database in one session. */
export interface PostgresSession {
  /** Runs several statements in one query, without results. */
  run(sql: string): Promise<void>;
  /** The rows of one statement, with values as returned by the driver. */
  rows(sql: string): Promise<readonly (readonly unknown[])[]>;
}

interface KeptTable {
  /** The quoted name with schema. */
  readonly name: string;
  readonly copy: string;
  /** Columns that can be inserted. */
  readonly columns: string;
  /** The number of rows, and the latest transaction that created one of them. */
  version: string;
}

const schema = 'apikiln_kept_rows';

const tablesSql = `
  SELECT format('%I.%I', n.nspname, c.relname),
    (SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) FROM pg_attribute a
     WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '')
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = 'r' AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname NOT IN ('information_schema', '${schema}')
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
  ORDER BY 1`;

const sequencesSql = `
  SELECT format('%I.%I', schemaname, sequencename), coalesce(last_value, start_value)::text, (last_value IS NOT NULL)::text
  FROM pg_sequences ORDER BY 1`;

export class PostgresRows {
  private constructor(
    private readonly session: PostgresSession,
    private readonly tables: readonly KeptTable[],
    private readonly sequences: ReadonlyMap<string, string>,
    /** Whether triggers and foreign keys can be disabled while rows are restored. */
    private readonly isAllowed: boolean,
  ) {}

  /** Stores the current rows. */
  static async keep(session: PostgresSession): Promise<PostgresRows> {
    const found = await session.rows(tablesSql);
    const tables = found.map(([name, columns], index): KeptTable => {
      return { name: textOf(name), columns: textOf(columns), copy: `${schema}.t${index}`, version: '' };
    });
    const copies = tables.map(
      ({ name, copy, columns }) => `CREATE TABLE ${copy} AS SELECT ${columns} FROM ONLY ${name};`,
    );
    await session.run(
      `DROP SCHEMA IF EXISTS ${schema} CASCADE; CREATE SCHEMA ${schema};\n${copies.join('\n')}`,
    );
    const isAllowed = await mayReplicate(session);
    if (!isAllowed) await makeDeferrable(session);
    const rows = new PostgresRows(session, tables, await readSequences(session), isAllowed);
    await rows.#note(tables);
    return rows;
  }

  /** Restores changed rows. */
  async restore(): Promise<void> {
    const versions = await this.#versions();
    const isOther = this.tables.filter((table, index) => versions[index] !== table.version);
    // If foreign keys remain active, undoing a change may affect other tables.
    const changed = this.isAllowed || isOther.length === 0 ? isOther : this.tables;
    if (changed.length > 0) {
      await this.#replace(changed, changed);
      await this.#note(changed);
    }
    await restoreSequences(this.session, this.sequences);
  }

  async clear(): Promise<void> {
    await this.#replace(this.tables, []);
  }

  async #replace(emptied: readonly KeptTable[], filled: readonly KeptTable[]): Promise<void> {
    const rows = [
      ...emptied.map(({ name }) => `DELETE FROM ONLY ${name};`),
      ...filled.map(({ name, copy, columns }) =>
        columns === ''
          ? ''
          : `INSERT INTO ${name} (${columns}) OVERRIDING SYSTEM VALUE SELECT ${columns} FROM ${copy};`,
      ),
    ];
    const triggers = (verb: string): string[] =>
      emptied.map(({ name }) => `ALTER TABLE ${name} ${verb} TRIGGER USER;`);
    const statements = this.isAllowed
      ? ['SET LOCAL session_replication_role = replica;', ...rows]
      : [
          ...triggers('DISABLE'),
          'SET CONSTRAINTS ALL DEFERRED;',
          ...rows,
          'SET CONSTRAINTS ALL IMMEDIATE;',
          ...triggers('ENABLE'),
        ];
    await this.session.run(`BEGIN;\n${statements.join('\n')}\nCOMMIT;`);
  }

  async #note(tables: readonly KeptTable[]): Promise<void> {
    const versions = await this.#versions();
    for (const [index, table] of this.tables.entries()) {
      if (tables.includes(table)) table.version = versions[index] ?? '';
    }
  }

  async #versions(): Promise<string[]> {
    if (this.tables.length === 0) return [];
    const selects = this.tables.map(
      ({ name }, index) =>
        `SELECT ${index} AS i, count(*)::text || ' ' || coalesce(max(xmin::text::bigint), 0)::text FROM ONLY ${name}`,
    );
    const rows = await this.session.rows(`${selects.join('\nUNION ALL ')}\nORDER BY i`);
    return rows.map(([, version]) => textOf(version));
  }
}

/** Last number of each sequence by name, and whether the number was used. */
export async function readSequences(session: PostgresSession): Promise<Map<string, string>> {
  const rows = await session.rows(sequencesSql);
  return new Map(
    rows.map(([name, value, isCalled]) => [textOf(name), `${textOf(value)}, ${textOf(isCalled)}`]),
  );
}

export async function restoreSequences(
  session: PostgresSession,
  sequences: ReadonlyMap<string, string>,
): Promise<void> {
  const now = await readSequences(session);
  const moved = [...sequences].filter(([name, value]) => now.get(name) !== value);
  if (moved.length === 0) return;
  await session.run(
    moved.map(([name, value]) => `SELECT setval('${name.replaceAll("'", "''")}', ${value});`).join('\n'),
  );
}

async function mayReplicate(session: PostgresSession): Promise<boolean> {
  const [row] = await session.rows("SELECT current_setting('is_superuser') = 'on'");
  return row?.[0] === true || row?.[0] === 't';
}

/** Makes the order irrelevant in which rows are restored. */
async function makeDeferrable(session: PostgresSession): Promise<void> {
  const rows = await session.rows(
    `SELECT conrelid::regclass::text, quote_ident(conname) FROM pg_constraint WHERE contype = 'f' AND NOT condeferrable AND conparentid = 0`,
  );
  await session.run(
    rows
      .map(
        ([table, name]) =>
          `ALTER TABLE ${textOf(table)} ALTER CONSTRAINT ${textOf(name)} DEFERRABLE INITIALLY IMMEDIATE;`,
      )
      .join('\n'),
  );
}
