/** `apikiln init --from-database`: reads a server's tables and writes operations for them. */
import { checkWithDatabases } from '../../../compile.js';
import type { Diagnostic } from '../../../read/diagnostics/diagnostic.js';
import { position, type Source } from '../../../read/source.js';
import { connectServer, oneServer } from '../../../analyze/database/ask-server.js';
import { DiskCache } from '../../../analyze/database/disk-cache.js';
import { OpenSchemas } from '../../../analyze/database/open-schemas.js';
import { type KnownDatabase, SchemaDatabases } from '../../../analyze/database/schema-databases.js';
import { readMysqlTables } from '../../../analyze/database/read-mysql-tables.js';
import { readPostgresTables } from '../../../analyze/database/read-postgres-tables.js';
import type { DatabaseTables, Table } from '../../../analyze/database/read-tables.js';
import { DatabaseError } from '../../../analyze/database/server.js';
import { dialectOf, serverSettings } from '../../../analyze/database/server-url.js';
import { choiceNotes } from '../../init/tables/choice-notes.js';
import { chooseTables, type ChosenTables, type TableChoice } from '../../init/tables/chosen-tables.js';
import {
  filesFromTables,
  type FilesFromTables,
  type FromTablesOptions,
  type TableRemedy,
} from '../../init/tables/from-tables.js';
import { loadableSchema } from '../../init/tables/loadable-schema.js';
import { titleOf } from '../../init/tables/table-operation.js';
import { nearest } from '../../../read/diagnostics/suggest.js';
import { jdbcUrl } from '../../local/jdbc-url-of.js';
import type { InitFile } from '../../init/init-file.js';
import type { StarterSyntax } from '../../init/starter.js';
import { wordsOf } from '../../init/words.js';
import { refuseOther } from './refuse-other.js';
import { CommandError, exitStatus } from '../shared/output/exit-status.js';
import { ofDatabase } from '../shared/files/find-schemas.js';

export interface DatabaseOptions {
  readonly syntax: StarterSyntax;
  /** Whether operations do not require a key. */
  readonly isOpen: boolean;
  readonly choice: TableChoice;
}

export interface FromDatabase {
  readonly files: readonly InitFile[];
  /** Notes on omitted tables and columns, and on names to check. */
  readonly note?: string;
}

/** Does not change anything on the server, and does not write the URL's password. Throws a CommandError. */
export async function filesFromDatabase(
  url: string,
  { syntax, isOpen, choice: wanted }: DatabaseOptions,
): Promise<FromDatabase> {
  try {
    const dialect = dialectOf(url, process.env);
    const found = serverSettings({ name: 'database', dialect, schema: undefined }, url, process.env);
    const settings = await oneServer(dialect, found.settings);
    const server = await connectServer(dialect, settings);
    try {
      const all = await (dialect === 'postgresql'
        ? readPostgresTables(server, settings.currentSchema !== undefined)
        : readMysqlTables(server));
      if (all.tables.length === 0)
        throw new CommandError(
          exitStatus.environment,
          `The database '${settings.database}' has no tables that this user can read.`,
        );
      const { database, note } = await withoutMissing(all);
      const choice = chooseTables(dialect, database.tables, wanted);
      refuseUnknown(choice, database.tables);
      const words = wordsOf(syntax);
      const options = {
        words,
        name: 'database',
        datasource: {
          url: jdbcUrl(dialect, settings, settings.database),
          user: words.reference('DB_USER', settings.user),
          password: words.reference('DB_PASSWORD', settings.password === '' ? '' : undefined),
        },
        isOpen,
        choice,
      };
      const { files, meant, notes: found } = await checked(database, options, url);
      refuseOther(textOf(files, 'config.yaml'), meant);
      const notes = [note, ...choiceNotes(choice), ...found].filter((one) => one !== undefined);
      return { files, ...(notes.length === 0 ? {} : { note: notes.join('\n') }) };
    } finally {
      await server.end();
    }
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const message = error.message.replace(/^--database database: /, '');
    throw ofDatabase({ kind: error.kind, message });
  }
}

function refuseUnknown(
  { chosen, leftOut, unknown: [unknown] }: ChosenTables,
  tables: readonly Table[],
): void {
  const known = tables.map(titleOf);
  if (unknown !== undefined) {
    const near = nearest(unknown, known);
    const hint = near === undefined ? `There are: ${known.join(', ')}` : `Did you mean '${near}'?`;
    throw new CommandError(exitStatus.usage, `There is no table '${unknown}'. ${hint}`);
  }
  if (chosen.length > 0) return;
  const reasons = leftOut.map(({ table, reason }) => `\n  ${titleOf(table)}: ${reason}`);
  throw new CommandError(exitStatus.usage, `No table gets operations.${reasons.join('')}`);
}

interface Checked extends FilesFromTables {
  /** Notes on omitted operations, and on errors that the user has to fix. */
  readonly notes: readonly string[];
}

/** Checks and adjusts the written files until nothing changes: against the written schema or, for MySQL, against the server. */
async function checked(
  database: DatabaseTables,
  options: Omit<FromTablesOptions, 'remedies'>,
  url: string,
): Promise<Checked> {
  const remedies = new Map<string, TableRemedy>();
  const schemas = new OpenSchemas(1);
  try {
    for (let round = 0; ; round += 1) {
      const written = filesFromTables(database, { ...options, remedies });
      const errors = await errorsIn(written, database, url, schemas);
      let isChanged = false;
      for (const [name, { start, end }] of round < rounds ? written.spans : []) {
        const own = errors.filter(
          ({ span }) => span.source.path === 'config.yaml' && span.start >= start && span.start < end,
        );
        const remedy = remedyFor(own, remedies.get(name));
        if (remedy !== undefined) remedies.set(name, remedy);
        isChanged ||= remedy !== undefined;
      }
      if (isChanged) continue;
      if (written.spans.size > 0 && [...written.spans.keys()].every((name) => isLeftOut(remedies.get(name))))
        throw new CommandError(
          exitStatus.errors,
          `Nothing was written, because \`check\` refuses every operation.${noteOnLeftOut(remedies)}`,
        );
      const notes = [noteOnLeftOut(remedies), noteOnCheck(errors)].filter((one) => one !== '');
      return { ...written, notes };
    }
  } finally {
    await schemas.close();
  }
}

/** At most a transaction and then a removal: more rounds are never needed. */
const rounds = 3;

function isLeftOut(remedy: TableRemedy | undefined): boolean {
  return remedy?.kind === 'left out';
}

function remedyFor(own: readonly Diagnostic[], before: TableRemedy | undefined): TableRemedy | undefined {
  const error = own.find(({ code }) => before !== undefined || code !== 'sql-outside-transaction');
  if (error !== undefined) return { kind: 'left out', reason: error.message.replaceAll(/\s+/g, ' ') };
  return own.length === 0 ? undefined : { kind: 'transaction' };
}

async function errorsIn(
  { files }: FilesFromTables,
  { dialect }: DatabaseTables,
  url: string,
  schemas: OpenSchemas,
): Promise<Diagnostic[]> {
  const source = (path: string): Source => ({ path, text: textOf(files, path) });
  const known: KnownDatabase =
    dialect === 'mysql' ? { kind: 'server', url } : { kind: 'schema', sources: [source('schema.sql')] };
  const { diagnostics } = await checkWithDatabases(
    {
      config: source('config.yaml'),
      description: { source: source('openapi.yaml'), read: () => undefined },
    },
    new SchemaDatabases(() => known, undefined, schemas),
  );
  return diagnostics.filter(({ severity }) => severity === 'error');
}

function textOf(files: readonly InitFile[], name: string): string {
  return files.find(({ path }) => path === name)?.text ?? '';
}

function noteOnLeftOut(remedies: ReadonlyMap<string, TableRemedy>): string {
  const lines = [...remedies].flatMap(([name, remedy]) =>
    remedy.kind === 'left out' ? [`  ${name}: ${remedy.reason}`] : [],
  );
  return lines.length === 0 ? '' : `\nLeft out, because \`check\` refuses them:\n${lines.join('\n')}`;
}

/** A note on errors that `check` will report and the user has to fix. */
function noteOnCheck(errors: readonly Diagnostic[]): string {
  const [first] = errors;
  if (first === undefined) return '';
  const { line } = position(first.span.source, first.span.start);
  const several = errors.length === 1 ? 'an error' : `${errors.length} errors, the first`;
  return `\n\`check\` reports ${several} at ${first.span.source.path}:${line}: ${first.message}`;
}

/** The tables without functions that cannot be recreated, and without tables and views that need such functions. */
async function withoutMissing(
  database: DatabaseTables,
): Promise<{ readonly database: DatabaseTables; readonly note?: string }> {
  // MySQL databases cannot be embedded.
  if (database.dialect === 'mysql') return { database };
  const { objects, leftOut } = await loadableSchema(
    database.schema,
    DiskCache.ofUser('schemas', process.env),
  );
  const missing = new Set(
    leftOut.filter(({ kind }) => kind === 'view' || kind === 'table').map(({ name }) => name),
  );
  const lines = leftOut.map(({ kind, name, reason }) => `  ${kind} ${name}: ${reason}`);
  return {
    database: {
      ...database,
      tables: database.tables.filter(({ quoted }) => !missing.has(quoted)),
      schema: objects,
    },
    ...(lines.length === 0
      ? {}
      : { note: `\nLeft out, because the copy of the schema cannot hold them:\n${lines.join('\n')}` }),
  };
}
