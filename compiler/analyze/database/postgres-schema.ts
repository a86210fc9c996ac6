/** Descriptions of statements by a PostgreSQL with a schema. Earlier results for the same schema are cached; then it is not even started. */
import type { KnownTable, SchemaError } from '../operations/statement-descriptions.js';
import type { Source } from '../../read/source.js';
import type { DescribeResult } from '../../read/sql/statement-description.js';
import { describingCode, nameFor, type DiskCache } from './disk-cache.js';
import { loadSchema } from './load-schema.js';
import type { LoadedSchema, OpenSchemas, RefusedStatement } from './open-schemas.js';
import { extensionsIn } from './schema-text.js';

export interface SchemaResults {
  /** By the texts of the statements. */
  readonly results: ReadonlyMap<string, DescribeResult>;
  /** Statements of the schema that could not be run. With one of them nothing is certain of names that are not there. */
  readonly errors: readonly SchemaError[];
  readonly tables: readonly KnownTable[];
}

/** The cache of a schema. */
interface Kept {
  readonly errors: readonly RefusedStatement[];
  readonly tables: readonly KnownTable[];
  readonly results: Record<string, DescribeResult>;
}

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
  const name = nameFor(describingCode(), searchPath ?? '', ...sources.map(({ text }) => text));
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
    return { database, errors: await loadSchema(sources, database, searchPath) };
  } catch (error) {
    await database.close();
    throw error;
  }
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
