/** The files of a built service that the user has written: pages and middleware, and their imports. */
import { copied } from '../../../../notation/written.js';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { GeneratedFile } from '../../../../generate/emit/module/file.js';
import type { Source } from '../../../../read/source.js';
import { ownImportsIn, stringsIn, type OwnImports } from '../../../typescript/module-imports.js';
import { CommandError, exitStatus } from '../output/exit-status.js';
import { refuseOutside } from '../files/file-inside.js';
import { notNoted, type NoteFile, type Place } from '../files/read-text.js';

/** Files of the service's owner: in the folder that `build` writes to. */
export interface OwnFiles {
  /** The folder of the service; undefined if there is none. */
  readonly folder: string | undefined;
  /** Below `src`. */
  readonly files: readonly GeneratedFile[];
}

/** The files of the folder's `src` that no build writes. Throws a CommandError if there is no such folder. */
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

/** The TypeScript files below `src` that do not look like those of a build. */
export function ownSources(folder: string): Source[] {
  const src = join(folder, 'src');
  if (!existsSync(src)) return [];
  return readdirSync(src, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .flatMap((path) => {
      const name = path.slice(folder.length + 1).replaceAll('\\', '/');
      // Files of operations are not user files, even if an earlier build wrote them and their operation was removed.
      if (name.startsWith('src/operations/')) return [];
      const text = readFileSync(path, 'utf8');
      return isGenerated(text) ? [] : [{ path: name, text }];
    });
}

/** Whether the text of a module looks like that of a build. */
export function isGenerated(text: string): boolean {
  return text.startsWith('// Generated from ');
}

/** The files of `src/code` that neither a fulfillment nor another user file uses: a misspelt name, or an unused function. */
export function uncalledCode(folder: string, generated: readonly GeneratedFile[]): string[] {
  const sources = ownSources(folder);
  const planned = new Set(generated.map(({ path }) => path));
  return sources.flatMap(({ path }) => {
    const [, name] = /^src\/code\/([^/]+)\.ts$/.exec(path) ?? [];
    if (name === undefined || planned.has(path)) return [];
    // Functions that are called import others, or start them as threads.
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

/** The facts that a compilation needs about user files in a service's folder; empty without such a folder. */
export function importsOfOwner(folder: string, note: NoteFile = notNoted): OwnImports {
  for (const name of ownModules) note(join(folder, 'src', name));
  let sources: Source[];
  try {
    sources = ownSources(folder);
  } catch {
    // A build reads and writes these files, and reports the one that it cannot read.
    sources = [];
  }
  for (const { path } of sources) note(join(folder, path));
  return ownImportsIn(sources);
}

/** The folder `out`, otherwise the build folder next to the configuration. The folder need not exist. */
export function serviceFolder(out: string | undefined, { config, folder }: Place): string {
  return out === undefined ? join(dirname(config), 'service') : resolve(folder, out);
}

/** Throws a CommandError if the default folder next to the configuration is a link to another place. */
export function refuseLinkedService(out: string | undefined, place: Place): void {
  const service = serviceFolder(out, place);
  if (out === undefined) refuseOutside(service, relative(place.folder, service), place.config, '--out');
}

/** The user's files in the folder `out`, otherwise in the build folder next to the configuration. */
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
