/** Finds the test files of a configuration. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { Source } from '../../../../read/source.js';
import { refuseOutside } from './file-inside.js';
import { CommandError, exitStatus } from '../output/exit-status.js';
import { notNoted, readText, type NoteFile, type Place } from './read-text.js';

const isYaml = /\.ya?ml$/i;

/**
 * The files or folders named with `--tests`; otherwise `config.test.yaml` next to `config.yaml`, and the files in the `tests` folder.
 * Throws a CommandError if there are no tests.
 */
export function findTests(named: readonly string[] | undefined, place: Place): Source[] {
  const found = testsBeside(place, named);
  if (found.length > 0) return found;
  const file = testFileOf(place.config);
  const beside = relative(place.folder, file) || file;
  throw new CommandError(
    exitStatus.environment,
    `There are no tests: ${beside} does not exist, and no folder 'tests' with YAML files is next to it. Write one, or name it with --tests.`,
  );
}

/** Empty if there are no tests. */
export function testsBeside({ config, folder, note = notNoted }: Place, named?: readonly string[]): Source[] {
  const beside = testFileOf(config);
  const candidates =
    named === undefined
      ? [beside, join(dirname(config), 'tests')].filter((path) => {
          note(path);
          return existsSync(path);
        })
      : named.map((path) => resolve(folder, path));
  if (named === undefined)
    for (const path of candidates) refuseOutside(path, relative(folder, path), config, '--tests');
  const files = candidates.flatMap((path) => (isFolder(path) ? filesIn(path, note) : [path]));
  return files.map((path) => {
    note(path);
    const shown = relative(folder, path);
    if (named === undefined) refuseOutside(path, shown, config, '--tests');
    return { path: shown, text: readText(path, shown) };
  });
}

function testFileOf(config: string): string {
  return join(dirname(config), `${basename(config).replace(isYaml, '')}.test.yaml`);
}

/** The stub file of `apikiln dev`. */
export function stubFileOf(config: string): string {
  return join(dirname(config), `${basename(config).replace(isYaml, '')}.stubs.yaml`);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function filesIn(folder: string, note: NoteFile): string[] {
  note(folder);
  return readdirSync(folder)
    .filter((name) => isYaml.test(name))
    .sort()
    .map((name) => join(folder, name));
}
