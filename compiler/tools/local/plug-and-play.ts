/** Yarn's Plug'n'Play has no node_modules to link to: a resolver takes the place of the links of a service in a temporary folder. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runtimePackage } from '../../generate/plan/names/runtime-symbols.js';

/** Whether this tool runs under it. */
export const isPlugAndPlay = process.versions['pnp'] !== undefined;

/** `packages`: the names of those that the service has of this tool. */
export function writeResolver(folder: string, packages: readonly string[], packageFolder: string): void {
  copyFileSync(
    join(packageFolder, 'templates/dev/resolve-packages.mjs'),
    join(folder, 'resolve-packages.mjs'),
  );
  const data = {
    folder: `${pathToFileURL(folder).href}/`,
    tool: pathToFileURL(join(packageFolder, 'package.json')).href,
    packages,
    runtime: runtimeParts(join(packageFolder, 'dist/runtime')),
  };
  const register = `register('./resolve-packages.mjs', import.meta.url, { data: ${JSON.stringify(data)} });`;
  writeFileSync(resolverOf(folder), `import { register } from 'node:module';\n\n${register}\n`);
}

/** The module that registers the resolver of the folder. */
export function resolverOf(folder: string): string {
  return join(folder, 'packages.mjs');
}

/** Arguments of Node.js for a process that runs a service of the folder. */
export function resolverArguments(folder: string): readonly string[] {
  return isPlugAndPlay ? ['--import', pathToFileURL(resolverOf(folder)).href] : [];
}

/** Settings of Node.js for a process that gets no other variables of this one: Plug'n'Play itself. */
export function resolverEnvironment(): Readonly<Record<string, string>> {
  const { NODE_OPTIONS } = process.env;
  return isPlugAndPlay && NODE_OPTIONS !== undefined ? { NODE_OPTIONS } : {};
}

/** The URL of each part by its specifier. */
function runtimeParts(folder: string): Readonly<Record<string, string>> {
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
  };
  return Object.fromEntries(
    Object.entries(exports).map(([part, target]) => [
      `${runtimePackage}${part.slice(1)}`,
      pathToFileURL(join(folder, typeof target === 'string' ? target : target.default)).href,
    ]),
  );
}
