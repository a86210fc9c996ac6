/** `apikiln init --from-database`: reads the tables of a server, and writes operations for them. */
import { checkSource } from '../../../compile.js';
import { position } from '../../../read/source.js';
import { connectServer, oneServer } from '../../../analyze/database/ask-server.js';
import { DiskCache } from '../../../analyze/database/disk-cache.js';
import { readMysqlTables } from '../../../analyze/database/read-mysql-tables.js';
import { readPostgresTables } from '../../../analyze/database/read-postgres-tables.js';
import type { DatabaseTables, Table } from '../../../analyze/database/read-tables.js';
import { DatabaseError } from '../../../analyze/database/server.js';
import { dialectOf, serverSettings } from '../../../analyze/database/server-url.js';
import { choiceNotes } from '../../init/tables/choice-notes.js';
import { chooseTables, type ChosenTables, type TableChoice } from '../../init/tables/chosen-tables.js';
import { filesFromTables } from '../../init/tables/from-tables.js';
import { loadableSchema } from '../../init/tables/loadable-schema.js';
import { titleOf } from '../../init/tables/table-operation.js';
import { nearest } from '../../../read/diagnostics/suggest.js';
import { jdbcUrl } from '../../local/jdbc-url-of.js';
import type { InitFile } from '../../init/init-file.js';
import type { StarterSyntax } from '../../init/starter.js';
import { wordsOf } from '../../init/words.js';
import { refuseOther } from './refuse-other.js';
import { CommandError, exitStatus } from '../shared/exit-status.js';
import { ofDatabase } from '../shared/find-schemas.js';

export interface DatabaseOptions {
  readonly syntax: StarterSyntax;
  /** Operations ask for no key. */
  readonly isOpen: boolean;
  readonly choice: TableChoice;
}

export interface FromDatabase {
  readonly files: readonly InitFile[];
  /** Tables and columns that are left out, and names that a person should check. */
  readonly note?: string;
}

/** Nothing changes on the server, and no password of the URL is written. Throws a CommandError. */
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
      const choice = chooseTables(database.tables, wanted);
      refuseUnknown(choice, database.tables);
      const words = wordsOf(syntax);
      const { files, meant } = filesFromTables(database, {
        words,
        name: 'database',
        datasource: {
          url: jdbcUrl(dialect, settings, settings.database),
          user: words.reference('DB_USER', settings.user),
          password: words.reference('DB_PASSWORD', settings.password === '' ? '' : undefined),
        },
        isOpen,
        choice,
      });
      const text = (name: string): string => files.find(({ path }) => path === name)?.text ?? '';
      refuseOther(text('config.yaml'), meant);
      const notes = [
        note,
        ...choiceNotes(choice),
        noteOnCheck(text('config.yaml'), text('openapi.yaml')),
      ].filter((one) => one !== undefined);
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

/** The errors that `check` will report, which a person has to fix. */
function noteOnCheck(config: string, description: string): string | undefined {
  const { diagnostics } = checkSource({
    config: { path: 'config.yaml', text: config },
    description: { source: { path: 'openapi.yaml', text: description }, read: () => undefined },
  });
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  if (first === undefined) return undefined;
  const { line } = position(first.span.source, first.span.start);
  const several = errors.length === 1 ? 'an error' : `${errors.length} errors, the first`;
  return `\n\`check\` reports ${several} at ${first.span.source.path}:${line}: ${first.message}`;
}

/** Without the functions that cannot be made again, and the tables and views that need them. */
async function withoutMissing(
  database: DatabaseTables,
): Promise<{ readonly database: DatabaseTables; readonly note?: string }> {
  // Databases of MySQL cannot be embedded.
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
