/** Finds the schemas of databases: named on the command line, or beside the configuration. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { Databases } from '../compile.js';
import { SchemaDatabases } from '../database/schema-databases.js';
import type { NoteFile } from './description.js';
import { CommandError, exitStatus } from './exit-status.js';
import { readText } from './read-text.js';

export interface SchemaOptions {
  /** `PATH` or `NAME=PATH`, a file or a folder of migrations; without any what is beside the configuration; false for none at all. */
  readonly schema?: readonly string[] | false;
}

/** Of the only database, in this order; of one among several `schema.<datasource>.sql`. */
const names = ['schema.sql', 'migrations'];

/** The databases of the schemas that are named, or that stand beside the configuration. `config`: its absolute path. */
export function schemasOf(
  { schema = [] }: SchemaOptions,
  config: string,
  folder: string,
  note: NoteFile,
): Databases {
  if (schema === false) return new SchemaDatabases(() => undefined);
  const named = schema.map(readNamed);
  const found = (name: string, isOnly: boolean): string | undefined => {
    const places = [`schema.${name}.sql`, ...(isOnly ? names : [])];
    return places
      .map((place) => join(dirname(config), place))
      .find((path) => {
        note(path);
        return existsSync(path);
      });
  };
  return new SchemaDatabases((name, all) => {
    rejectUnknown(named, all);
    const own = named.find((one) => one.name === name || (one.name === undefined && all.length === 1));
    const path = named.length === 0 ? found(name, all.length === 1) : own && resolve(folder, own.path);
    if (path === undefined) return undefined;
    return filesAt(path, note).map((file) => {
      note(file);
      const shown = relative(folder, file);
      return { path: shown, text: readText(file, shown) };
    });
  });
}

interface NamedSchema {
  readonly name: string | undefined;
  readonly path: string;
}

function readNamed(text: string): NamedSchema {
  const [, name, path = text] = /^([^=/\\]+)=(.*)$/.exec(text) ?? [];
  return { name, path };
}

/** `all`: the names of the databases. */
function rejectUnknown(named: readonly NamedSchema[], all: readonly string[]): void {
  for (const { name, path } of named) {
    if (name === undefined ? all.length < 2 : all.includes(name)) continue;
    const known = all.map((one) => `'${one}'`).join(', ');
    throw new CommandError(
      exitStatus.usage,
      name === undefined
        ? `There are several databases: ${known}. Say which one ${path} is of: --schema ${all[0] ?? ''}=${path}`
        : `There is no database '${name}'. The databases are ${known}.`,
    );
  }
}

/** A file, or the files of a folder of migrations: `2_a.sql` before `10_b.sql`, without those that take a migration back. */
function filesAt(path: string, note: NoteFile): string[] {
  note(path);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [path];
  const isBack = /(?:\.|_|-)(?:down|undo|rollback)\.sql$|^U\d/i;
  return readdirSync(path)
    .filter((name) => name.toLowerCase().endsWith('.sql') && !isBack.test(name))
    .sort((one, other) => one.localeCompare(other, 'en', { numeric: true }))
    .map((name) => join(path, name));
}
