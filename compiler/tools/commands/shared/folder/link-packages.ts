/** The packages of a service in a temporary folder: links to this tool's packages, without an installation. */
import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runtimePackage } from '../../../../generate/plan/names/runtime-symbols.js';
import { isPlugAndPlay } from '../../../local/plug-and-play.js';
import { writeResolver } from './write-resolver.js';
import { CommandError, exitStatus } from '../output/exit-status.js';

/** Links the packages named in `manifest`, the text of the service's package.json. */
export function linkPackages(folder: string, manifest: string, packageFolder: string): void {
  const { dependencies } = JSON.parse(manifest) as { dependencies: Readonly<Record<string, string>> };
  // User code may import Express.
  const names = [...new Set([...Object.keys(dependencies), 'express'])].filter(
    (name) => name !== runtimePackage,
  );
  if (isPlugAndPlay) {
    writeResolver(folder, names, packageFolder);
    return;
  }
  link(folder, runtimePackage, join(packageFolder, 'dist/runtime'));
  for (const name of names) link(folder, name, findPackage(name, packageFolder));
}

/** Links packages installed by the user that services do not have by default. */
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

/** Package managers install dependencies next to this package or in a parent folder. */
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
