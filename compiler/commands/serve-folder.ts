/** A temporary folder with a service ready to run, on the packages of this tool: nothing is installed, and no network is asked. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { GeneratedFile } from '../emit/file.js';
import { transpile } from '../emit/transpile.js';
import { runtimePackage } from '../plan/runtime-symbols.js';
import { CommandError, exitStatus } from './exit-status.js';
import { reason } from './read-text.js';

/** Writes it, for this user alone, and gives its path. Throws a CommandError. */
export function writeServeFolder(files: readonly GeneratedFile[], packageFolder: string): string {
  try {
    const folder = mkdtempSync(join(tmpdir(), 'apikiln-'));
    try {
      const kept = files.filter(({ path }) => path === '.env' || path.endsWith('package.json'));
      for (const { path, text } of [...kept, ...transpile(files)]) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), text, { mode: 0o600 });
      }
      for (const { path, text } of kept) if (path !== '.env') linkPackages(folder, text, packageFolder);
      return folder;
    } catch (error) {
      removeServeFolder(folder);
      throw error;
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new CommandError(exitStatus.environment, `${tmpdir()} cannot be written: ${reason(error)}.`);
  }
}

export function removeServeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** Package managers put them beside this package or above it. */
function linkPackages(folder: string, manifest: string, packageFolder: string): void {
  const { dependencies } = JSON.parse(manifest) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  for (const name of Object.keys(dependencies)) {
    const link = join(folder, 'node_modules', name);
    if (existsSync(link)) continue;
    mkdirSync(dirname(link), { recursive: true });
    const target = name === runtimePackage ? join(folder, 'runtime') : findPackage(name, packageFolder);
    symlinkSync(target, link, 'junction');
  }
}

function findPackage(name: string, from: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name);
    if (existsSync(found)) return found;
    if (dirname(folder) === folder) break;
  }
  throw new CommandError(
    exitStatus.environment,
    `The package '${name}' is not installed with this tool. Install the tool again, with its dependencies.`,
  );
}
