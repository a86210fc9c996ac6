/** Has a PostgreSQL with a schema describe statements. Results are cached per schema; if all are cached, PostgreSQL is not started. */
import type { KnownTable, SchemaError } from '../operations/statements/statement-descriptions.js';
import type { Source } from '../../read/source.js';
import type { DescribeResult } from '../../read/sql/statement-description.js';
import { describingCode, nameFor, type DiskCache } from './disk-cache.js';
import { EndedPostgres } from './describe-postgres.js';
import type { KeptSchema, LoadedSchema, OpenSchemas } from './open-schemas.js';
import { startSchema } from './embedded/start-schema.js';
import { startInThread } from './embedded/thread-client.js';

export interface SchemaResults {
  /** Results by statement text. */
  readonly results: ReadonlyMap<string, DescribeResult>;
  /** Statements of the schema that failed. If there are any, missing names prove nothing. */
  readonly errors: readonly SchemaError[];
  readonly tables: readonly KnownTable[];
}

export interface AskOptions {
  readonly files: DiskCache;
  /** The session's search path, if not the default. */
  readonly searchPath?: string | undefined;
  /** Keeps the database open for later questions. */
  readonly open?: OpenSchemas | undefined;
  /** Called before the schema is executed in a new database, which can take long. */
  readonly loading?: ((sources: readonly Source[]) => void) | undefined;
}

/** Describes the texts. */
export async function askSchema(
  sources: readonly Source[],
  texts: readonly string[],
  { files, searchPath, open, loading }: AskOptions,
): Promise<SchemaResults> {
  const name = nameFor(describingCode(), searchPath ?? '', ...sources.map(({ text }) => text));
  const kept = open?.kept(name) ?? readKept(files, name);
  const missing = [...new Set(texts)].filter((text) => kept?.results[text] === undefined);
  // Long-running programs, such as an editor's language server, must not be blocked.
  const load = (): Promise<LoadedSchema> => {
    loading?.(sources);
    return (open === undefined ? startSchema : startInThread)(sources, files, searchPath);
  };
  open?.expect(name, load);
  if (kept !== undefined && missing.length === 0) {
    open?.keep(name, kept);
    return toSchemaResults(kept, sources);
  }
  const asked = new Asked(
    () => open?.get(name, load) ?? load(),
    async ({ database }) => {
      await (open === undefined ? database.close() : open.drop(name));
    },
  );
  try {
    const described = await asked.describe(missing);
    const found = missing.flatMap((text, index): [string, DescribeResult][] => {
      const result = described[index];
      return result === undefined ? [] : [[text, result]];
    });
    const { database, errors } = await asked.loaded();
    const now = {
      errors,
      tables: kept?.tables ?? (await database.tables()),
      results: withNew(kept, found, texts),
    };
    open?.keep(name, now);
    // Do not cache refusals on disk for statements that are being edited, nor results that depend on time limits, which vary by machine.
    const isLasting = open === undefined || !found.every(isRefused);
    if (isLasting && !asked.hasEnded && !errors.some(({ isEnd }) => isEnd))
      files.write(name, JSON.stringify(now));
    return toSchemaResults(now, sources);
  } finally {
    if (open === undefined) await asked.close();
  }
}

/** A schema in use; if a statement crashes the database, it is replaced by another one. */
class Asked {
  hasEnded = false;
  #loaded: Promise<LoadedSchema> | undefined;

  constructor(
    private readonly start: () => Promise<LoadedSchema>,
    private readonly end: (loaded: LoadedSchema) => Promise<void>,
  ) {}

  loaded(): Promise<LoadedSchema> {
    this.#loaded ??= this.start();
    return this.#loaded;
  }

  /** The result for each text. Few texts, if any, crash the database. */
  async describe(texts: readonly string[]): Promise<readonly DescribeResult[]> {
    const { database } = await this.loaded();
    try {
      return await database.describe(texts);
    } catch (error) {
      if (!(error instanceof EndedPostgres)) throw error;
      this.hasEnded = true;
      await this.close();
      if (texts.length === 1) return [{ refusal: { message: error.message, code: '57014' } }];
    }
    const half = Math.ceil(texts.length / 2);
    return [...(await this.describe(texts.slice(0, half))), ...(await this.describe(texts.slice(half)))];
  }

  async close(): Promise<void> {
    const loaded = await this.#loaded;
    this.#loaded = undefined;
    if (loaded !== undefined) await this.end(loaded);
  }
}

/** Adds new results, and drops refused statements that are no longer used. */
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
