/** The files of a built service that its owner has written: own pages and middleware, and what they import. */
import { copied } from '../../../../notation/written.js';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, resolve } from 'node:path';
import type { GeneratedFile } from '../../../../generate/emit/module/file.js';
import { contextModule } from '../../../../generate/plan/requests/own-routes-plan.js';
import type { ImportDeclaration } from '../../../../generate/emit/module/imports.js';
import type { Source } from '../../../../read/source.js';
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
      // Files of operations are not the owner's, even if an earlier build wrote them and their operation is gone.
      if (name.startsWith('src/operations/')) return [];
      const text = readFileSync(path, 'utf8');
      return text.startsWith('// Generated from ') ? [] : [{ path: name, text }];
    });
}

/** The files of `src/code` that neither a fulfillment nor another file of the owner uses: a misspelt name, or a function that is gone. */
export function uncalledCode(folder: string, generated: readonly GeneratedFile[]): string[] {
  const sources = ownSources(folder);
  const planned = new Set(generated.map(({ path }) => path));
  return sources.flatMap(({ path }) => {
    const [, name] = /^src\/code\/([^/]+)\.ts$/.exec(path) ?? [];
    if (name === undefined || planned.has(path)) return [];
    // Functions that are called import others.
    const isImported = sources.some((other) => other.path !== path && other.text.includes(`/${name}.js`));
    return isImported ? [] : [path];
  });
}

const ownModules = ['app.ts', 'middleware.ts'];

/** Imports in the owner's files of a service's folder, of the runtime and of Express; empty if there is no such folder. */
export function ownImports(folder: string, note: NoteFile = notNoted): ImportDeclaration[] {
  for (const name of ownModules) note(join(folder, 'src', name));
  let sources: Source[];
  try {
    sources = ownSources(folder);
  } catch {
    // A build reads and writes these files, and reports the one that it cannot read.
    return [];
  }
  // A module of the owner has the name.
  const isTaken = sources.some(({ path }) => path === `${contextModule}.ts`);
  return sources.flatMap((source) => {
    note(join(folder, source.path));
    return importsOfOwnCode(source).filter(({ specifier }) => !(isTaken && specifier === contextModule));
  });
}

/** A module of the service is named by its path from the service's folder, without its ending. */
export function importsOfOwnCode({ path, text }: Source): ImportDeclaration[] {
  return [...text.matchAll(ownImport)].map(([, names = '', specifier = '']) => ({
    specifier: specifier.startsWith('.')
      ? posix.join(posix.dirname(path), specifier).replace(/\.js$/, '')
      : specifier,
    names: [...names.matchAll(/(?:^|,)\s*(type\s+)?(\w+)/g)].map(([, type, name = '']) => ({
      name,
      isType: type !== undefined,
    })),
  }));
}

/**
 * `import { fail, type Call } from '@apikiln/runtime'`, over several lines too, `import express, { type Express } from 'express'`, and
 * `import { contextOf } from './context.js'`.
 */
const ownImport =
  /^(?:import|export)\s+(?:type\s+)?(?:\w+\s*,?\s*)?(?:\{([^}]*)\}\s*)?from\s*['"](express|@apikiln\/runtime(?:\/[^'"]*)?|(?:\.\.?\/)+context\.js)['"]/gm;

/** The folder `out`, else the one beside the configuration that a build writes to; whether it is there is not asked. */
export function serviceFolder(out: string | undefined, { config, folder }: Place): string {
  return out === undefined ? join(dirname(config), 'service') : resolve(folder, out);
}

/** Throws a CommandError where the folder beside the configuration, which nobody has named, is a link that leads elsewhere. */
export function refuseLinkedService(out: string | undefined, place: Place): void {
  const service = serviceFolder(out, place);
  if (out === undefined) refuseOutside(service, relative(place.folder, service), place.config, '--out');
}

/** The owner's files in the folder `out`, else in the folder beside the configuration where a service was built. */
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
