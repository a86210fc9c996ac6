/** What a PostgreSQL with a schema reports of statements. Earlier results for the same schema are cached; then it is not even started. */
import type { KnownTable, SchemaError } from '../operations/statement-descriptions.js';
import type { Source } from '../../read/source.js';
import type { DescribeResult, Refusal } from '../../read/sql/statement-description.js';
import { indexOf } from './describe-postgres.js';
import type { EmbeddedPostgres } from './embedded-postgres.js';
import { nameFor, type DiskCache } from './disk-cache.js';
import type { LoadedSchema, OpenSchemas, RefusedStatement } from './open-schemas.js';
import { postgresVersion } from './packed-postgres.js';
import { extensionsIn, schemaStatements } from './schema-text.js';

export interface SchemaResults {
  /** By the texts of the statements. */
  readonly results: ReadonlyMap<string, DescribeResult>;
  /** Statements of the schema that could not be run. With one of them nothing is certain of names that are not there. */
  readonly errors: readonly SchemaError[];
  readonly tables: readonly KnownTable[];
}

/** What is kept of a schema. */
interface Kept {
  readonly errors: readonly RefusedStatement[];
  readonly tables: readonly KnownTable[];
  readonly results: Record<string, DescribeResult>;
}

/** The structure of tables is complete without these. */
const needless =
  /^\s*(?:GRANT|REVOKE|COMMENT|SET|RESET|CREATE\s+(?:ROLE|USER|DATABASE|PUBLICATION|SUBSCRIPTION|EVENT\s+TRIGGER)|ALTER\s+(?:ROLE|USER|DATABASE|DEFAULT\s+PRIVILEGES)|ALTER\s[^;]*\bOWNER\s+TO|SECURITY\s+LABEL|VACUUM|ANALYZE|BEGIN|COMMIT|START\s+TRANSACTION)\b/i;

/** SQLSTATEs of what a PostgreSQL inside a process does not have: extensions, languages, features. */
const unsupported = new Set(['0A000', '58P01']);

/** Types, functions, languages, schemas, tables and columns that an extension may bring, or what was made with it. */
const unknownName = new Set(['42704', '42883', '3F000', '42P01', '42703']);

export interface AskOptions {
  readonly files: DiskCache;
  /** The session's, where it is not the usual one. */
  readonly searchPath?: string | undefined;
  /** Keeps the database for the next question. */
  readonly open?: OpenSchemas | undefined;
}

/** Asks about the texts. */
export async function askSchema(
  sources: readonly Source[],
  texts: readonly string[],
  { files, searchPath, open }: AskOptions,
): Promise<SchemaResults> {
  const name = nameFor(
    `format 7, PGlite ${postgresVersion()}`,
    searchPath ?? '',
    ...sources.map(({ text }) => text),
  );
  const kept = readKept(files, name);
  const missing = [...new Set(texts)].filter((text) => kept?.results[text] === undefined);
  const load = (): Promise<LoadedSchema> => startSchema(sources, files, searchPath);
  open?.expect(name, load);
  if (kept !== undefined && missing.length === 0) return toSchemaResults(kept, sources);
  const { database, errors } = await (open?.get(name, load) ?? load());
  try {
    const results = await database.describe(missing);
    const all = { ...kept?.results };
    for (const [index, text] of missing.entries()) {
      const result = results[index];
      if (result !== undefined) all[text] = result;
    }
    const now = { errors, tables: await database.tables(), results: all };
    files.write(name, JSON.stringify(now));
    return toSchemaResults(now, sources);
  } finally {
    if (open === undefined) await database.close();
  }
}

async function startSchema(
  sources: readonly Source[],
  files: DiskCache,
  searchPath: string | undefined,
): Promise<LoadedSchema> {
  // Loaded here, because most builds need nothing but what is kept.
  const { EmbeddedPostgres } = await import('./embedded-postgres.js');
  const database = await EmbeddedPostgres.start(extensionsIn(sources), files);
  try {
    const errors = await loadSchema(sources, database);
    if (searchPath !== undefined)
      await database.run(`SELECT set_config('search_path', '${searchPath.replaceAll("'", "''")}', false)`);
    return { database, errors };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Runs the statements of a schema; returns the refused ones, except those that change no table. */
export async function loadSchema(
  sources: readonly Source[],
  database: Pick<EmbeddedPostgres, 'run'>,
): Promise<Kept['errors']> {
  const statements = sources.flatMap((source, file) =>
    schemaStatements(source).map((statement) => ({ ...statement, file })),
  );
  // All at once where nothing is wrong, which is much faster than one after the other.
  const whole = await database.run(`BEGIN;\n${statements.map(({ text }) => text).join('\n')}\nCOMMIT`);
  const errors: Kept['errors'][number][] = [];
  const refused: string[] = [];
  let lacksExtension = false;
  if (whole !== undefined) {
    await database.run('ROLLBACK');
    for (const { text, file, start, end } of statements) {
      const problem = await database.run(text);
      if (problem === undefined || needless.test(text)) continue;
      lacksExtension ||= /^\s*CREATE\s+EXTENSION\b/i.test(text);
      const isLack =
        unsupported.has(problem.code) ||
        (lacksExtension && unknownName.has(problem.code) && !isMisspelt(problem, refused));
      refused.push(text);
      const { at: characters, ...error } = problem;
      const at = characters === undefined ? undefined : indexOf(text, characters + 1);
      errors.push({ ...error, ...(at !== undefined && { at }), file, start, end, isLack });
    }
  }
  // pg_dump leaves no schema to be searched.
  await database.run('RESET search_path');
  return errors;
}

/** Whether a column is missing that none of the `refused` statements names: its table is there, and an extension adds no columns. */
function isMisspelt({ code, message }: Refusal, refused: readonly string[]): boolean {
  const [, column] = /^column "([^"]+)"/.exec(message) ?? [];
  return code === '42703' && column !== undefined && !refused.some((text) => text.includes(column));
}

function readKept(files: DiskCache, name: string): Kept | undefined {
  const text = files.read(name)?.toString('utf8');
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Kept;
  } catch {
    return undefined;
  }
}

function toSchemaResults({ errors, tables, results }: Kept, sources: readonly Source[]): SchemaResults {
  return {
    tables,
    results: new Map(Object.entries(results)),
    errors: errors.flatMap(({ file, ...error }) => {
      const source = sources[file];
      return source === undefined ? [] : [{ ...error, source }];
    }),
  };
}
