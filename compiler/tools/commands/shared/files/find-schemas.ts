/** Finds databases: schemas and servers named on the command line, or schemas next to the configuration. */
import { existsSync, readdirSync, statSync, type Dirent } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { Databases } from '../../../../analyze/operations/statements/statement-descriptions.js';
import type { DiskCache } from '../../../../analyze/database/disk-cache.js';
import type { OpenSchemas } from '../../../../analyze/database/open-schemas.js';
import {
  SchemaDatabases,
  type FindDatabase,
  type KnownDatabase,
} from '../../../../analyze/database/schema-databases.js';
import { DatabaseError } from '../../../../analyze/database/server.js';
import { CommandError, exitStatus } from '../output/exit-status.js';
import { refuseOutside } from './file-inside.js';
import { notNoted, readText, reason, type NoteFile, type Place } from './read-text.js';
import { quotedList } from '../../../../read/diagnostics/quoted-list.js';
import { upperFirst } from '../../../../generate/plan/names/identifiers.js';

export interface SchemaOptions {
  /** `PATH` or `NAME=PATH` of a file or a folder of migrations; if omitted, the files next to the configuration; false to skip schemas. */
  readonly schema?: readonly string[] | false;
  /** `URL` or `NAME=URL` of a server with the database. */
  readonly database?: readonly string[];
  /** Schemas kept open between compilations; not a command-line option. */
  readonly openSchemas?: OpenSchemas;
}

/**
 * File names for the schema of a single database, in order of preference; with several databases, the name is `schema.<datasource>.sql`.
 */
const names = ['schema.sql', 'migrations'];

/** The schema of each database: the named one, or the one next to the configuration. */
export function findDatabases(
  { schema = [], database = [] }: SchemaOptions,
  { config, folder, note = notNoted, read = readText }: Place,
): FindDatabase {
  const servers = database.map((text) => readNamed('--database', text, url));
  const schemas = (schema === false ? [] : schema).map((text) => readNamed('--schema', text, path));
  const found = (datasources: readonly string[], isOnly: boolean): string | undefined => {
    const candidates = [...datasources.map((name) => `schema.${name}.sql`), ...(isOnly ? names : [])];
    return candidates
      .map((path) => join(dirname(config), path))
      .find((path) => {
        note(path);
        return existsSync(path);
      });
  };
  return (name, databases): KnownDatabase | undefined => {
    rejectUnknown([...servers, ...schemas], databases);
    const isOnly = databases.length === 1;
    const datasources = ownFirst(name, databases);
    const isOwn = (one: Named): boolean => one.name === name || (one.name === undefined && isOnly);
    const isOfOthers = (one: Named): boolean => one.name !== undefined && datasources.includes(one.name);
    const [server = servers.find(isOfOthers), second] = servers.filter(isOwn);
    const own = schemas.find(isOwn) ?? schemas.find(isOfOthers);
    if (server !== undefined) {
      rejectTwice(name, [server, second, own]);
      return { kind: 'server', url: server.value };
    }
    if (schema === false) return undefined;
    const path = schemas.length === 0 ? found(datasources, isOnly) : own && resolve(folder, own.value);
    if (path === undefined) return undefined;
    if (own === undefined) refuseOutside(path, relative(folder, path), config, '--schema');
    const files = filesAt(path, relative(folder, path), note);
    if (files.length === 0) {
      // The folder next to the configuration may contain migrations in another language.
      if (own === undefined) return undefined;
      throw new CommandError(exitStatus.environment, nothingIn(own.value));
    }
    const sources = files.map((file) => {
      note(file);
      const shown = relative(folder, file);
      if (own === undefined) refuseOutside(file, shown, config, '--schema');
      return { path: shown, text: read(file, shown) };
    });
    return { kind: 'schema', sources, isNamed: own !== undefined };
  };
}

/** All datasources that share the named datasource's database, starting with the named one: a schema for any of them applies to all. */
export function ownFirst(name: string, databases: readonly (readonly string[])[]): readonly string[] {
  const all = databases.find((datasources) => datasources.includes(name)) ?? [];
  return [name, ...all.filter((other) => other !== name)];
}

/**
 * Databases that check statements, found as by `findDatabases`. Their failures become command errors. `stage` sets the terminal's current
 * stage.
 */
export function schemasOf(
  options: SchemaOptions,
  place: Place,
  stage: (text: string) => void = () => undefined,
): Databases {
  return askedDatabases(findDatabases(options, place), options, stage);
}

/** Like `schemasOf`, for databases that are found in another way. */
export function askedDatabases(
  find: FindDatabase,
  { openSchemas }: Pick<SchemaOptions, 'openSchemas'>,
  stage: (text: string) => void = () => undefined,
  cache?: DiskCache,
): Databases {
  const databases = new SchemaDatabases(find, cache, openSchemas, ([first, ...others]) => {
    const files = others.length === 0 ? (first?.path ?? '') : `${others.length + 1} files`;
    stage(`Loading the schema (${files})`);
  });
  return {
    ask: async (datasources, questions) => {
      try {
        return await databases.ask(datasources, questions);
      } catch (error) {
        if (!(error instanceof DatabaseError)) throw error;
        throw ofDatabase(error);
      }
    },
  };
}

/** The command error for a database that could not be queried. */
export function ofDatabase({ kind, message }: Pick<DatabaseError, 'kind' | 'message'>): CommandError {
  const status = kind === 'usage' ? exitStatus.usage : exitStatus.environment;
  return new CommandError(status, upperFirst(message));
}

/** The value of a `--schema` or `--database` option, and the name of the database that it applies to. */
interface Named {
  readonly option: '--schema' | '--database';
  readonly name: string | undefined;
  /** A path or a URL; a URL may contain a password. */
  readonly value: string;
}

const path = /^([^=/\\]+)=(.*)$/s;
/** In a URL, a colon comes before any `=`; a variable has braces. */
const url = /^([^=/\\:{}]+)=(.*)$/s;

function readNamed(option: Named['option'], text: string, pattern: RegExp): Named {
  const [, name, value = text] = pattern.exec(text) ?? [];
  return { option, name, value };
}

function rejectUnknown(named: readonly Named[], databases: readonly (readonly string[])[]): void {
  const all = databases.flat();
  for (const { option, name, value } of named) {
    if (name === undefined ? databases.length < 2 : all.includes(name)) continue;
    const known = quotedList(all);
    const [what, example] = option === '--schema' ? [value, value] : ['the URL', '<url>'];
    throw new CommandError(
      exitStatus.usage,
      name === undefined
        ? `There are several databases: ${known}. Name the one of ${what}: ${option} ${all[0] ?? ''}=${example}`
        : `There is no database '${name}'. The databases are ${known}.`,
    );
  }
}

function nothingIn(folder: string): string {
  return `--schema ${folder}: there is no SQL file in this folder. Looked for ${lookedFor}. Name the file or folder that makes the tables.`;
}

const lookedFor =
  '*.sql, and where there are none for */*.sql, such as */migration.sql of Prisma and */up.sql of Diesel, without down migrations';

/**
 * Part of a sentence about a migrations folder next to the configuration that does not contain any SQL files; undefined if there is no such
 * folder.
 */
export function emptyMigrations({ config, folder }: Place): string | undefined {
  const [schema = '', migrations = ''] = names.map((name) => join(dirname(config), name));
  if (existsSync(schema) || !existsSync(migrations)) return undefined;
  const shown = relative(folder, migrations);
  refuseOutside(migrations, shown, config, '--schema');
  return filesAt(migrations, shown, notNoted).length === 0
    ? `there is no SQL file in ${shown} (looked for ${lookedFor})`
    : undefined;
}

function rejectTwice(name: string, named: readonly (Named | undefined)[]): void {
  const [first, other] = named.filter((one) => one !== undefined);
  if (first === undefined || other === undefined) return;
  const what =
    first.option === other.option ? `${first.option} names` : `${first.option} and ${other.option} both name`;
  throw new CommandError(
    exitStatus.usage,
    `${what} the database '${name}'${first.option === other.option ? ' twice' : ''}. Name one.`,
  );
}

/**
 * A file, or the files of a folder of migrations: `2_a.sql` before `10_b.sql`, without down migrations. If the folder itself has no such
 * file, the files of its subfolders, because Prisma and Diesel use one subfolder per migration. `shown` is the path displayed to the user.
 */
function filesAt(path: string, shown: string, note: NoteFile): string[] {
  note(path);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [path];
  const entries = entriesOf(path, shown);
  const files = entries.filter(
    (entry) => !entry.isDirectory() && /\.sql$/i.test(entry.name) && !isBack.test(entry.name),
  );
  if (files.length > 0) return files.map(({ name }) => join(path, name));
  return entries
    .filter((entry) => entry.isDirectory() && !isNoMigration.test(entry.name))
    .flatMap(({ name }) => filesAt(join(path, name), join(shown, name), note));
}

const isBack = /(?:^|[._-])(?:down|undo|rollback)\.sql$|^U\d/i;

/** Folders of down migrations, and hidden folders, which are copies if a cluster mounts the files. */
const isNoMigration = /^(?:down|undo|rollback)$|^\./i;

function entriesOf(folder: string, shown: string): Dirent[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.sort((one, other) => one.name.localeCompare(other.name, 'en', { numeric: true }));
  } catch (error) {
    throw new CommandError(exitStatus.environment, `${shown} cannot be read: ${reason(error)}.`);
  }
}
