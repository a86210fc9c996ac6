/** User files of a built service: pages, middleware and their imports. */
import { copied } from '../../../../notation/written.js';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { GeneratedFile } from '../../../../generate/emit/module/file.js';
import type { Source } from '../../../../read/source.js';
import { ownImportsIn, stringsIn, type OwnImports } from '../../../typescript/module-imports.js';
import { CommandError, exitStatus } from '../output/exit-status.js';
import { refuseOutside } from '../files/file-inside.js';
import { notNoted, type NoteFile, type Place } from '../files/read-text.js';

/** User files in the folder that `build` writes to. */
export interface OwnFiles {
  /** The folder of the service; undefined if there is none. */
  readonly folder: string | undefined;
  /** Files in `src`. */
  readonly files: readonly GeneratedFile[];
}

/** Files in the folder's `src` not written by a build. Throws a CommandError if the folder does not exist. */
function ownFiles(folder: string, generated: readonly GeneratedFile[], note: NoteFile): GeneratedFile[] {
  const src = join(folder, 'src');
  if (!existsSync(src))
    throw new CommandError(
      exitStatus.environment,
      `${folder} is not the folder of a built service: it has no folder src.`,
    );
  const theirs = new Set(generated.filter(({ kind }) => kind === 'generated').map(({ path }) => path));
  return ownSources(folder).flatMap(({ path, text }): GeneratedFile[] => {
    if (theirs.has(path)) return [];
    note(join(folder, path));
    return [{ path, text: copied(text), kind: 'once' }];
  });
}

/** TypeScript files in `src` that do not look generated. */
export function ownSources(folder: string): Source[] {
  const src = join(folder, 'src');
  if (!existsSync(src)) return [];
  return readdirSync(src, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .flatMap((path) => {
      const name = path.slice(folder.length + 1).replaceAll('\\', '/');
      // Operation modules are never user files, even if they are left from an operation that was removed.
      if (name.startsWith('src/operations/')) return [];
      const text = readFileSync(path, 'utf8');
      return isGenerated(text) ? [] : [{ path: name, text }];
    });
}

/** Whether the text of a module looks generated. */
export function isGenerated(text: string): boolean {
  return text.startsWith('// Generated from ');
}

/** Files of `src/code` that neither a fulfillment nor another user file uses, because of a misspelled name or an unused function. */
export function uncalledCode(folder: string, generated: readonly GeneratedFile[]): string[] {
  const sources = ownSources(folder);
  const planned = new Set(generated.map(({ path }) => path));
  return sources.flatMap(({ path }) => {
    const [, name] = /^src\/code\/([^/]+)\.ts$/.exec(path) ?? [];
    if (name === undefined || planned.has(path)) return [];
    // User code may import the file, or start it as a thread.
    const file = `/${name}.js`;
    const isNamed = sources.some(
      (other) =>
        other.path !== path &&
        other.text.includes(file) &&
        stringsIn(other).some((text) => text.endsWith(file)),
    );
    return isNamed ? [] : [path];
  });
}

const ownModules = ['app.ts', 'middleware.ts'];

/** The facts about user files in a service's folder that a compilation needs; empty if the folder does not exist. */
export function importsOfOwner(folder: string, note: NoteFile = notNoted): OwnImports {
  for (const name of ownModules) note(join(folder, 'src', name));
  let sources: Source[];
  try {
    sources = ownSources(folder);
  } catch {
    // A build reads and writes these files, and reports unreadable ones.
    sources = [];
  }
  for (const { path } of sources) note(join(folder, path));
  return ownImportsIn(sources);
}

/** The folder `out`, or else the build folder next to the configuration. The folder may not exist. */
export function serviceFolder(out: string | undefined, { config, folder }: Place): string {
  return out === undefined ? join(dirname(config), 'service') : resolve(folder, out);
}

/** Throws a CommandError if the default folder next to the configuration is a link to a different location. */
export function refuseLinkedService(out: string | undefined, place: Place): void {
  const service = serviceFolder(out, place);
  if (out === undefined) refuseOutside(service, relative(place.folder, service), place.config, '--out');
}

/** User files in the folder `out`, or else in the build folder next to the configuration. */
export function findOwnFiles(
  out: string | undefined,
  generated: readonly GeneratedFile[],
  place: Place,
): OwnFiles {
  const { note = notNoted } = place;
  const service = serviceFolder(out, place);
  const isThere = ['.apikiln.json', 'src/app.ts', 'src/middleware.ts', 'src/code'].some((name) =>
    existsSync(join(service, name)),
  );
  for (const { path } of generated) if (path.startsWith('src/code/')) note(join(service, path));
  if (out === undefined && !isThere) return { folder: undefined, files: [] };
  for (const name of ownModules) note(join(service, 'src', name));
  return { folder: service, files: ownFiles(service, generated, note) };
}
