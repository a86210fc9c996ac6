/** The packages of a service that runs in a temporary folder: links to those of this tool, so nothing is installed. */
import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { GeneratedFile } from '../../../../generate/emit/module/file.js';
import { CommandError, exitStatus } from '../output/exit-status.js';

/** `manifests`: files package.json. Links the packages that are in folders of the service, such as its runtime, and then what all of them depend on. */
export function linkPackages(
  folder: string,
  manifests: readonly GeneratedFile[],
  packageFolder: string,
): void {
  const packages = manifests.map(({ path, text }) => ({
    directory: dirname(path),
    ...(JSON.parse(text) as { name: string; dependencies: Readonly<Record<string, string>> }),
  }));
  const own = packages.filter(({ directory }) => directory !== '.');
  for (const { name, directory } of own) link(folder, name, join(folder, directory));
  const others = new Set(packages.flatMap(({ dependencies }) => Object.keys(dependencies)));
  // Code of the owner may import it.
  others.add('express');
  for (const { name } of own) others.delete(name);
  for (const name of others) link(folder, name, findPackage(name, packageFolder));
}

/** Links the packages that the owner has installed and that services do not have by themselves. */
export function linkOwnPackages(base: string, ownFolder: string): void {
  const from = join(ownFolder, 'node_modules');
  if (!existsSync(from)) return;
  const names = readdirSync(from).flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(from, name)).map((below) => `${name}/${below}`) : [name],
  );
  for (const name of names) {
    const link = join(base, 'node_modules', name);
    if (name.startsWith('.') || existsSync(link)) continue;
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(from, name), link, 'junction');
  }
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
