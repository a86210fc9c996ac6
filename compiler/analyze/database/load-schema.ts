/** Executes a schema in the embedded PostgreSQL like a migration tool: each file is a transaction. */
import type { Source } from '../../read/source.js';
import type { Refusal } from '../../read/sql/statement-description.js';
import { EndedPostgres, indexOf } from './describe-postgres.js';
import type { RefusedStatement } from './open-schemas.js';
import {
  readsOtherFiles,
  schemaStatements,
  settingOf,
  withoutTablespaces,
  type SchemaStatement,
} from './schema-text.js';

/** The database. `rows` are the rows for `COPY … FROM '/dev/blob'`. */
export interface SchemaTarget {
  run(sql: string, rows?: string): Promise<Refusal | undefined>;
}

/** Statements that do not affect the structure of tables. */
const needless =
  /^(?:GRANT|REVOKE|COMMENT|SET|RESET|LOCK|SAVEPOINT|RELEASE|ROLLBACK|CREATE\s+(?:ROLE|USER|DATABASE|TABLESPACE|PUBLICATION|SUBSCRIPTION|EVENT\s+TRIGGER)|ALTER\s+(?:ROLE|USER|DATABASE|DEFAULT\s+PRIVILEGES)|ALTER\s[^;]*\b(?:OWNER\s+TO|SET\s+TABLESPACE)|SECURITY\s+LABEL|VACUUM|ANALYZE)\b/i;

/** SQLSTATEs for features that an embedded PostgreSQL does not have, such as extensions and languages. */
const unsupported = new Set(['0A000', '58P01']);

/** SQLSTATEs for missing types, functions, languages, schemas, tables and columns, which may be provided by or depend on an extension. */
const unknownName = new Set(['42704', '42883', '3F000', '42P01', '42703']);

/**
 * SQLSTATEs for statements that cannot run in this transaction: `CREATE INDEX CONCURRENTLY`, COMMIT in a procedure, a new enum label that
 * was added in it, a table with rows whose constraints are deferred.
 */
const onlyOutside = new Set(['25001', '2D000', '55P04', '55006']);

/** Tables in which migration tools record executed migrations, and which they create themselves. */
const bookkeeping =
  /^relation "(?:\w+\.)?(?:_sqlx_migrations|__diesel_schema_migrations|schema_migrations|goose_db_version|_prisma_migrations)" does not exist$/;

/** After this many statements that crash the database, the rest of the schema is skipped. */
const mostEnded = 3;

/** A database with a schema, and the refused statements, except for those that do not affect tables. */
export interface Loaded<Database> {
  readonly database: Database;
  readonly errors: readonly RefusedStatement[];
}

/**
 * Executes the statements in a new database. If a statement crashes it, the other statements are executed in another new one. `target`
 * executes statements in a database. `searchPath` is that of the datasource.
 */
export async function loadSchema<Database extends { close(): Promise<void> }>(
  sources: readonly Source[],
  start: () => Promise<Database>,
  target: (database: Database) => SchemaTarget,
  searchPath?: string,
): Promise<Loaded<Database>> {
  const ended: RefusedStatement[] = [];
  let rest = sources;
  let oneByOne = false;
  for (;;) {
    const database = await start();
    try {
      const errors = await runSchema(rest, target(database), searchPath, oneByOne);
      return { database, errors: [...ended, ...errors] };
    } catch (error) {
      await database.close();
      if (error instanceof EndedAt) {
        const isLast = ended.length + 1 === mostEnded;
        const { statement } = error;
        const message = isLast
          ? `${statement.message}; the following statements were not executed`
          : statement.message;
        ended.push({ ...statement, message, isEnd: true });
        rest = without(statement, isLast, rest);
      } else if (error instanceof EndedPostgres && !oneByOne) {
        // Find the statement by executing them one by one.
        oneByOne = true;
      } else throw error;
    }
  }
}

/** Blanks the statement, and also everything after it if `isLast`. All other statements keep their positions. */
function without(
  { file, start, end }: RefusedStatement,
  isLast: boolean,
  sources: readonly Source[],
): readonly Source[] {
  return sources.map((source, index) => {
    if (index < file || (index > file && !isLast)) return source;
    const { text } = source;
    const [from, to] = index > file ? [0, text.length] : [start, isLast ? text.length : end];
    const blank = text.slice(from, to).replaceAll(/[^\n]/g, ' ');
    return { ...source, text: text.slice(0, from) + blank + text.slice(to) };
  });
}

/** Executes the schema. Throws EndedPostgres, or EndedAt if the statements are executed one by one. */
async function runSchema(
  sources: readonly Source[],
  database: SchemaTarget,
  searchPath: string | undefined,
  oneByOne: boolean,
): Promise<readonly RefusedStatement[]> {
  const load = new Load(database, sources.some(readsOtherFiles), oneByOne);
  for (const [file, source] of sources.entries())
    for (const statements of transactionsOf(schemaStatements(source)))
      for (const part of partsOf(statements)) await load.transaction(part, file);
  await setSearchPath(database, searchPath);
  return load.errors;
}

/**
 * Sets the search path for later sessions, because pg_dump leaves it empty. `path` is that of the datasource; by default, the one set by
 * ALTER DATABASE.
 */
export async function setSearchPath(
  database: { run(sql: string): Promise<unknown> },
  path: string | undefined,
): Promise<void> {
  await database.run('RESET search_path');
  await database.run(
    path === undefined
      ? `SELECT set_config('search_path', substr(setting, length('search_path=') + 1), false)
         FROM pg_db_role_setting JOIN pg_database d ON d.oid = setdatabase, unnest(setconfig) setting
         WHERE datname = current_database() AND setrole = 0 AND setting LIKE 'search_path=%'`
      : `SELECT set_config('search_path', '${path.replaceAll("'", "''")}', false)`,
  );
}

/** Splits the statements at the boundaries of transactions, without statements that are rolled back. */
function transactionsOf(statements: readonly SchemaStatement[]): SchemaStatement[][] {
  const transactions: SchemaStatement[][] = [[]];
  for (const statement of statements) {
    const { text } = statement;
    const [, verb] =
      /^(BEGIN|START\s+TRANSACTION|COMMIT|END|(?:ROLLBACK|ABORT)(?![^;]*\bTO\b))\b/i.exec(text) ?? [];
    if (/^[RA]/i.test(verb ?? '')) transactions.pop();
    if (verb === undefined) transactions.at(-1)?.push(statement);
    else transactions.push([]);
  }
  return transactions.filter(({ length }) => length > 0);
}

/** Maximum number of statements per part of a transaction. */
const partLength = 500;

/**
 * Statements for which several transactions have the same result as one. Splitting is faster because the catalog of an open transaction
 * becomes slower with each table.
 */
const independent =
  /^(?:(?:CREATE(?:\s+OR\s+REPLACE)?(?:\s+(?:UNIQUE|UNLOGGED|MATERIALIZED))?\s+(?:TABLE|INDEX|SEQUENCE|TYPE|DOMAIN|VIEW|FUNCTION|SCHEMA)|ALTER\s+(?:TABLE|SEQUENCE|INDEX|TYPE|VIEW|FUNCTION))\b(?![^]*\bON\s+COMMIT\b)|COMMENT|GRANT|REVOKE|SET\s+(?!LOCAL|CONSTRAINTS|TRANSACTION)|SELECT\s+pg_catalog\.set_config\([^,]*,[^,]*,\s*false\))/i;

/**
 * Splits a long transaction that only creates and alters objects. With rows, constraints may be checked only at the end of the transaction.
 */
function partsOf(statements: readonly SchemaStatement[]): (readonly SchemaStatement[])[] {
  if (statements.length <= partLength || !statements.every(({ text }) => independent.test(text)))
    return [statements];
  const count = Math.ceil(statements.length / partLength);
  return Array.from({ length: count }, (_, part) =>
    statements.slice(part * partLength, (part + 1) * partLength),
  );
}

/** The embedded database crashed in this statement. */
class EndedAt extends Error {
  override readonly name = 'EndedAt';

  constructor(readonly statement: RefusedStatement) {
    super(statement.message);
  }
}

class Load {
  readonly errors: RefusedStatement[] = [];
  readonly #refused: string[] = [];
  #lacksExtension = false;

  /** `lacksRows`: rows to which other rows refer may be missing. */
  constructor(
    private readonly database: SchemaTarget,
    private lacksRows: boolean,
    private readonly oneByOne: boolean,
  ) {}

  /** Executes all statements in one call if none of them fails, which is much faster than one by one. */
  async transaction(statements: readonly SchemaStatement[], file: number): Promise<void> {
    if (!this.oneByOne) {
      if ((await this.#atOnce(statements.map(prepared))) === undefined) return;
      await this.database.run('ROLLBACK');
    }
    await this.database.run(begin);
    for (const statement of statements) {
      const problem = await this.#named(statement, file, () => this.#run(prepared(statement)));
      if (problem !== undefined) this.#note(problem, statement, file);
    }
    const last = statements.at(-1);
    if (last === undefined) return;
    // A deferred constraint may fail at the end.
    const problem = await this.#named(last, file, () => this.database.run('COMMIT'));
    if (problem !== undefined) this.#note(problem, last, file);
  }

  /** Executes the statements together; rows need separate calls. */
  async #atOnce(statements: readonly Prepared[]): Promise<Refusal | undefined> {
    let texts = ['BEGIN'];
    for (const { text, rows } of statements) {
      texts.push(text);
      if (rows === undefined) continue;
      const problem = await this.database.run(texts.join('\n;'), rows);
      if (problem !== undefined) return problem;
      texts = [];
    }
    return this.database.run([...texts, 'COMMIT'].join('\n;'));
  }

  async #named(
    { start, end }: SchemaStatement,
    file: number,
    run: () => Promise<Refusal | undefined>,
  ): Promise<Refusal | undefined> {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof EndedPostgres) || !this.oneByOne) throw error;
      throw new EndedAt({ message: error.message, file, start, end, isLack: false });
    }
  }

  /** Executes a statement of a transaction, which continues after a refusal. */
  async #run(statement: Prepared, isInside = true): Promise<Refusal | undefined> {
    const { text } = statement;
    const problem = await (isInside ? this.#inside(statement) : this.#outside(statement));
    if (problem === undefined || needless.test(text)) return problem;
    if (isInside && onlyOutside.has(problem.code)) return this.#run(statement, false);
    const cured = cure(problem, text);
    if (cured === undefined) return problem;
    if (cured.before !== undefined && (await this.#run({ text: cured.before })) !== undefined) return problem;
    return this.#run({ ...statement, text: cured.text }, isInside);
  }

  async #inside({ text, rows }: Prepared): Promise<Refusal | undefined> {
    const problem = await this.database.run(text + kept, rows);
    if (problem !== undefined) await this.database.run('ROLLBACK TO SAVEPOINT apikiln');
    return problem;
  }

  async #outside({ text, rows }: Prepared): Promise<Refusal | undefined> {
    await this.database.run('COMMIT');
    const problem = await this.database.run(text, rows);
    await this.database.run(begin);
    return problem;
  }

  #note(problem: Refusal, { text, start, end }: SchemaStatement, file: number): void {
    if (needless.test(text)) return;
    const { code } = problem;
    if (bookkeeping.test(problem.message) && !isDefinition.test(text)) return;
    // The statement would not violate the constraint if the missing rows existed.
    if (this.lacksRows && code.startsWith('23')) return;
    this.lacksRows ||= /^COPY\b/i.test(text);
    this.#lacksExtension ||= /^CREATE\s+EXTENSION\b/i.test(text);
    const isLack =
      unsupported.has(code) ||
      (this.#lacksExtension && unknownName.has(code) && !isMisspelt(problem, this.#refused));
    this.#refused.push(text);
    const { at: characters, ...error } = problem;
    const at = characters === undefined ? undefined : indexOf(text, characters + 1);
    this.errors.push({ ...error, ...(at !== undefined && { at }), file, start, end, isLack });
  }
}

const begin = 'BEGIN; SAVEPOINT apikiln';
/**
 * Appended to a statement, because one call is faster than two. Not prepended, because nothing would be executed if the statement had a
 * syntax error.
 */
const kept = '\n; RELEASE SAVEPOINT apikiln; SAVEPOINT apikiln';

type Prepared = Pick<SchemaStatement, 'text' | 'rows'>;

/** Adapts the statement to the embedded PostgreSQL: rows are in a file, and the only database is `postgres`. */
export function prepared({ text, rows }: SchemaStatement): Prepared {
  if (rows === undefined) return { text: settingOf(text, 'postgres') };
  return { text: text.replace(/\bFROM(\s+)STDIN\b/i, "FROM$1'/dev/blob'"), rows };
}

/** Creates missing objects of the server. Roles and tablespaces do not belong to a database, so dumps do not contain them. */
function cure({ code, message }: Refusal, text: string): { before?: string; text: string } | undefined {
  const [, kind, name = ''] = /^(role|tablespace) "(.+)" does not exist$/.exec(message) ?? [];
  if (code !== '42704' || kind === undefined) return undefined;
  if (kind === 'role') return { before: `CREATE ROLE "${name.replaceAll('"', '""')}"`, text };
  const rest = withoutTablespaces(text);
  return rest === text ? undefined : { text: rest };
}

/** Whether the statement defines an object based on the objects that it names. */
const isDefinition = /^CREATE\s+(?!(?:UNIQUE\s+)?INDEX\b|TRIGGER\b)/i;

/** Whether the error is a missing column that no refused statement names: its table exists, and extensions do not add columns. */
function isMisspelt({ code, message }: Refusal, refused: readonly string[]): boolean {
  const [, column] = /^column "([^"]+)"/.exec(message) ?? [];
  return code === '42703' && column !== undefined && !refused.some((text) => text.includes(column));
}
