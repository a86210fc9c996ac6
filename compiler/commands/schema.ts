/** Finds the schemas of databases: named on the command line, or beside the configuration. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { AskedStatement, DatabaseAnswers, SchemaFault } from '../analyze/database-answers.js';
import type { Databases } from '../compile.js';
import { KeptFiles } from '../database/kept-files.js';
import { askSchema } from '../database/postgres-schema.js';
import type { Answer } from '../sql/answer.js';
import type { Datasource } from '../config/config-model.js';
import type { Source } from '../source.js';
import type { SqlStatement } from '../sql/statement.js';
import type { NoteFile } from './description.js';
import { CommandError, exitStatus } from './exit-status.js';
import { readText } from './read-text.js';

export interface SchemaOptions {
  /** `PATH` or `NAME=PATH`, a file or a folder of migrations; without any what is beside the configuration. */
  readonly schema?: readonly string[];
}

/** Names in the configuration's folder: `schema.sql`, `schema.<datasource>.sql`, or the folder `migrations`. */
const fileName = 'schema.sql';
const folderName = 'migrations';

/** The schemas that are named, or that stand beside the configuration. `config`: its absolute path. */
export function schemasOf(
  { schema = [] }: SchemaOptions,
  config: string,
  folder: string,
  note: NoteFile,
): Databases {
  const configFolder = dirname(config);
  const named = schema.map((text) => {
    const [, name, path = text] = /^([\w-]+)=(.*)$/.exec(text) ?? [];
    return { name, path };
  });
  const pathFor = ({ name }: Datasource, isOnly: boolean): string | undefined => {
    const own =
      named.find((one) => one.name === name.value) ??
      (isOnly ? named.find((one) => one.name === undefined) : undefined);
    if (own !== undefined) return resolve(folder, own.path);
    if (named.length > 0) return undefined;
    const places = [`schema.${name.value}.sql`, ...(isOnly ? [fileName, folderName] : [])];
    return places
      .map((place) => join(configFolder, place))
      .find((path) => {
        note(path);
        return existsSync(path);
      });
  };
  return {
    async ask(questions) {
      const datasources = [...new Set(questions.map(({ datasource }) => datasource))];
      rejectUnknown(named, datasources);
      const answered = new Map<SqlStatement, { asked: AskedStatement; answer: Answer }>();
      const faults: SchemaFault[] = [];
      const whole = new Set<Datasource>();
      const tables = new Map<Datasource, readonly string[]>();
      for (const datasource of datasources) {
        if (datasource.dialect !== 'postgresql') continue;
        const path = pathFor(datasource, datasources.length === 1);
        if (path === undefined) continue;
        const sources = sourcesAt(path, folder, note);
        const own = questions.filter((question) => question.datasource === datasource);
        const search = searchPathOf(datasource);
        const found = await askSchema(
          sources,
          own.map(({ text }) => text),
          { files: KeptFiles.ofUser('schemas', process.env), searchPath: search.value },
        );
        for (const asked of own) {
          const answer = found.answers.get(asked.text);
          if (answer !== undefined) answered.set(asked.statement, { asked, answer });
        }
        faults.push(...found.faults);
        tables.set(datasource, found.tables);
        if (found.faults.length === 0 && search.isKnown && !own.some(changesSchema)) whole.add(datasource);
      }
      const answers: DatabaseAnswers = {
        of: (statement) => answered.get(statement),
        faults,
        isWhole: (datasource) => whole.has(datasource),
        tables: (datasource) => tables.get(datasource) ?? [],
      };
      return answers;
    },
  };
}

function rejectUnknown(
  named: readonly { readonly name: string | undefined; readonly path: string }[],
  datasources: readonly Datasource[],
): void {
  const names = datasources.map(({ name }) => name.value);
  for (const { name, path } of named) {
    if (name === undefined ? names.length < 2 : names.includes(name)) continue;
    const known = names.join(', ');
    throw new CommandError(
      exitStatus.usage,
      name === undefined
        ? `There are several databases (${known}). Name the one that ${path} is for: --schema ${names[0] ?? ''}=${path}`
        : `No statement uses a datasource '${name}'. Those in use are: ${known}.`,
    );
  }
}

/** A file, or the files of a folder of migrations in their order. */
function sourcesAt(path: string, folder: string, note: NoteFile): Source[] {
  note(path);
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const files = isFolder ? migrationsIn(path).map((name) => join(path, name)) : [path];
  return files.map((file) => {
    note(file);
    const shown = relative(folder, file);
    return { path: shown, text: readText(file, shown) };
  });
}

/** `2_a.sql` before `10_b.sql`; those that take a migration back are left out. */
function migrationsIn(folder: string): string[] {
  const isBack = /(?:\.|_|-)(?:down|undo|rollback)\.sql$|^U\d/i;
  return readdirSync(folder)
    .filter((name) => name.toLowerCase().endsWith('.sql') && !isBack.test(name))
    .sort((one, other) => one.localeCompare(other, 'en', { numeric: true }));
}

/** The search path that the datasource's URL gives; not known where the environment gives it. */
function searchPathOf({ url }: Datasource): { readonly value?: string; readonly isKnown: boolean } {
  const [, written] = /[?&]currentSchema=([^&]*)/.exec(url?.value ?? '') ?? [];
  if (written === undefined)
    return { isKnown: url?.value.includes('${') !== true || !/\?.*\$\{/.test(url.value) };
  if (written.includes('${')) return { isKnown: false };
  try {
    return { value: decodeURIComponent(written), isKnown: true };
  } catch {
    return { isKnown: false };
  }
}

const schemaVerbs = new Set([
  'CREATE',
  'ALTER',
  'DROP',
  'DO',
  'CALL',
  'EXECUTE',
  'PREPARE',
  'DECLARE',
  'SET',
]);

/** Whether the statement may make tables, or change where they are looked for. */
function changesSchema({ statement: { verb, pieces } }: AskedStatement): boolean {
  return (
    schemaVerbs.has(verb) || (verb === 'SELECT' && pieces.bounds.items.some(({ word }) => word === 'INTO'))
  );
}
