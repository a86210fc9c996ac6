/** Yarn Plug'n'Play has no node_modules to link to: in a temporary folder, a resolver replaces the links of a service. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Whether this tool runs under Plug'n'Play. */
export const isPlugAndPlay = process.versions['pnp'] !== undefined;

/** Path of the module that registers the folder's resolver. */
export function resolverOf(folder: string): string {
  return join(folder, 'packages.mjs');
}

/** Node.js arguments for a process that runs a service in the folder. */
export function resolverArguments(folder: string): readonly string[] {
  return isPlugAndPlay ? ['--import', pathToFileURL(resolverOf(folder)).href] : [];
}

/** Node.js settings of Plug'n'Play, for a process that does not inherit other variables. */
export function resolverEnvironment(): Readonly<Record<string, string>> {
  const { NODE_OPTIONS } = process.env;
  return isPlugAndPlay && NODE_OPTIONS !== undefined ? { NODE_OPTIONS } : {};
}
