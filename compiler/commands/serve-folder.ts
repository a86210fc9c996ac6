/** A temporary folder with a service ready to run, on the packages of this tool: nothing is installed, and no network is asked. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { KeptFiles, nameFor } from '../database/kept-files.js';
import type { GeneratedFile } from '../emit/file.js';
import { compilerVersion, transpile } from '../emit/transpile.js';
import { CommandError, exitStatus } from './exit-status.js';
import { reason } from './read-text.js';

/** Writes it, for this user alone, and gives its path. Throws a CommandError. */
export function writeServeFolder(files: readonly GeneratedFile[], packageFolder: string): string {
  try {
    const folder = mkdtempSync(join(tmpdir(), 'apikiln-'));
    try {
      const kept = files.filter(({ path }) => path === '.env' || path.endsWith('package.json'));
      for (const { path, text } of [...kept, ...transpiled(files)]) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), text, { mode: 0o600 });
      }
      linkPackages(
        folder,
        kept.filter(({ path }) => path !== '.env'),
        packageFolder,
      );
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

/** The runtime is the same in one run and the next, and most of what takes time: what came of it is kept. */
function transpiled(
  files: readonly GeneratedFile[],
): readonly { readonly path: string; readonly text: string }[] {
  const isRuntime = ({ path }: GeneratedFile): boolean => path.startsWith('runtime/') && path.endsWith('.ts');
  const runtime = files.filter(isRuntime);
  const store = KeptFiles.ofUser('runtime', process.env);
  const name = nameFor(compilerVersion, ...runtime.flatMap(({ path, text }) => [path, text]));
  const before = store.read(name);
  const own = transpile(files.filter((file) => !isRuntime(file)));
  if (before !== undefined) {
    try {
      return [...own, ...(JSON.parse(before.toString('utf8')) as typeof own)];
    } catch {
      store.remove(name);
    }
  }
  const now = transpile(runtime);
  store.write(name, JSON.stringify(now));
  return [...own, ...now];
}

export function removeServeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** `manifests`: files package.json. Links the packages that are in folders of the service, such as its runtime, and then what all of them depend on. */
export function linkPackages(
  folder: string,
  manifests: readonly GeneratedFile[],
  packageFolder: string,
): void {
  const packages = manifests.map(({ path, text }) => ({
    place: dirname(path),
    ...(JSON.parse(text) as { name: string; dependencies: Readonly<Record<string, string>> }),
  }));
  const own = packages.filter(({ place }) => place !== '.');
  for (const { name, place } of own) link(folder, name, join(folder, place));
  const others = new Set(packages.flatMap(({ dependencies }) => Object.keys(dependencies)));
  for (const { name } of own) others.delete(name);
  for (const name of others) link(folder, name, findPackage(name, packageFolder));
}

function link(folder: string, name: string, target: string): void {
  const path = join(folder, 'node_modules', name);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path, 'junction');
}

/** Package managers put them beside this package or above it. */
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
