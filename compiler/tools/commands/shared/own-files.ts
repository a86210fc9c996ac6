/** The files of a built service that its owner has written: own pages and middleware, and what they import. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { GeneratedFile } from '../../../generate/emit/module/file.js';
import { CommandError, exitStatus } from './exit-status.js';
import type { NoteFile } from './description.js';

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
  return readdirSync(src, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .flatMap((path): GeneratedFile[] => {
      const name = path.slice(folder.length + 1).replaceAll('\\', '/');
      // What an earlier build wrote of an operation that is gone is not the owner's.
      if (theirs.has(name) || name.startsWith('src/operations/')) return [];
      const text = readFileSync(path, 'utf8');
      if (text.startsWith('// Generated from ')) return [];
      note(path);
      return [{ path: name, text, kind: 'once' }];
    });
}

/** Express, if `src/app.ts` or `src/middleware.ts` imports it: then the service has it. */
export function packagesOfOwnCode(folder: string, note: NoteFile): string[] {
  const imports = ownModules.some((name) => {
    const path = join(folder, 'src', name);
    note(path);
    return existsSync(path) && /\bfrom ['"]express['"]/.test(readFileSync(path, 'utf8'));
  });
  return imports ? ['express'] : [];
}

const ownModules = ['app.ts', 'middleware.ts'];

/** The folder `out`, else the one beside the configuration that a build writes to; whether it is there is not asked. */
export function serviceFolder(out: string | undefined, config: string, folder: string): string {
  return out === undefined ? join(dirname(config), 'service') : resolve(folder, out);
}

/** Those of the folder `out`, else of the folder beside the configuration, where a service was built. */
export function findOwnFiles(
  {
    out,
    config,
    folder,
  }: { readonly out: string | undefined; readonly config: string; readonly folder: string },
  generated: readonly GeneratedFile[],
  note: NoteFile,
): OwnFiles {
  const service = serviceFolder(out, config, folder);
  const isThere = ['.apikiln.json', 'src/app.ts', 'src/middleware.ts'].some((name) =>
    existsSync(join(service, name)),
  );
  if (out === undefined && !isThere) return { folder: undefined, files: [] };
  for (const name of ownModules) note(join(service, 'src', name));
  return { folder: service, files: ownFiles(service, generated, note) };
}
