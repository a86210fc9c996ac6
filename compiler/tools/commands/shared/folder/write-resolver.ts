/** Writes the package resolver for a service in a temporary folder if the tool runs under Yarn Plug'n'Play. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runtimePackage } from '../../../../generate/plan/names/runtime-symbols.js';
import { resolverOf } from '../../../local/plug-and-play.js';

/** `packages` are the names of the packages that the service gets from this tool. */
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

/** URLs of the runtime's parts by specifier. */
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
