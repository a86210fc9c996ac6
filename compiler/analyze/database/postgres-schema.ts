/** Descriptions of statements by a PostgreSQL with a schema. Earlier results for the same schema are cached; then it is not even started. */
import type { KnownTable, SchemaError } from '../operations/statement-descriptions.js';
import type { Source } from '../../read/source.js';
import type { DescribeResult } from '../../read/sql/statement-description.js';
import { describingCode, nameFor, type DiskCache } from './disk-cache.js';
import { EndedPostgres } from './describe-postgres.js';
import { EndedAt, loadSchema } from './load-schema.js';
import type { KeptSchema, LoadedSchema, OpenSchemas, RefusedStatement } from './open-schemas.js';
import { extensionsIn } from './schema-text.js';

export interface SchemaResults {
  /** By the texts of the statements. */
  readonly results: ReadonlyMap<string, DescribeResult>;
  /** Statements of the schema that could not be run. With one of them nothing is certain of names that are not there. */
  readonly errors: readonly SchemaError[];
  readonly tables: readonly KnownTable[];
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
  const kept = open?.kept(name) ?? readKept(files, name);
  const missing = [...new Set(texts)].filter((text) => kept?.results[text] === undefined);
  const load = (): Promise<LoadedSchema> => startSchema(sources, files, searchPath);
  open?.expect(name, load);
  if (kept !== undefined && missing.length === 0) {
    open?.keep(name, kept);
    return toSchemaResults(kept, sources);
  }
  const { database, errors } = await (open?.get(name, load) ?? load());
  try {
    const described = await database.describe(missing);
    const found = missing.flatMap((text, index): [string, DescribeResult][] => {
      const result = described[index];
      return result === undefined ? [] : [[text, result]];
    });
    const now = {
      errors,
      tables: kept?.tables ?? (await database.tables()),
      results: withNew(kept, found, texts),
    };
    open?.keep(name, now);
    // Somebody is writing a statement: nobody will ask again about what it was before.
    if (open === undefined || !found.every(isRefused)) files.write(name, JSON.stringify(now));
    return toSchemaResults(now, sources);
  } finally {
    if (open === undefined) await database.close();
  }
}

/** Without statements that were refused and are no longer asked about. */
function withNew(
  kept: KeptSchema | undefined,
  found: readonly (readonly [string, DescribeResult])[],
  texts: readonly string[],
): KeptSchema['results'] {
  const asked = new Set(texts);
  const known = Object.entries(kept?.results ?? {});
  return Object.fromEntries([...known.filter((one) => !isRefused(one) || asked.has(one[0])), ...found]);
}

function isRefused([, result]: readonly [string, DescribeResult]): boolean {
  return 'refusal' in result;
}

async function startSchema(
  sources: readonly Source[],
  files: DiskCache,
  searchPath: string | undefined,
  oneByOne = false,
): Promise<LoadedSchema> {
  // Loaded here, because most builds need nothing but what is kept.
  const { EmbeddedPostgres } = await import('./embedded-postgres.js');
  const database = await EmbeddedPostgres.start(extensionsIn(sources), files);
  try {
    return { database, errors: await loadSchema(sources, database, searchPath, oneByOne) };
  } catch (error) {
    await database.close();
    if (error instanceof EndedPostgres) return startSchema(sources, files, searchPath, true);
    if (!(error instanceof EndedAt)) throw error;
    const { statement } = error;
    const others = await startSchema(without(statement, sources), files, searchPath);
    return { ...others, errors: [statement, ...others.errors] };
  }
}

/** All others keep their positions. */
function without({ file, start, end }: RefusedStatement, sources: readonly Source[]): readonly Source[] {
  return sources.map((source, index) => {
    if (index !== file) return source;
    const { text } = source;
    return {
      ...source,
      text: text.slice(0, start) + text.slice(start, end).replaceAll(/[^\n]/g, ' ') + text.slice(end),
    };
  });
}

function readKept(files: DiskCache, name: string): KeptSchema | undefined {
  const text = files.read(name)?.toString('utf8');
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as KeptSchema;
  } catch {
    return undefined;
  }
}

function toSchemaResults({ errors, tables, results }: KeptSchema, sources: readonly Source[]): SchemaResults {
  return {
    tables,
    results: new Map(Object.entries(results)),
    errors: errors.flatMap(({ file, ...error }) => {
      const source = sources[file];
      return source === undefined ? [] : [{ ...error, source }];
    }),
  };
}
