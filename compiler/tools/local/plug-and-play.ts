/** Yarn's Plug'n'Play has no node_modules to link to: in a temporary folder, a resolver replaces the links of a service. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Whether this tool runs under it. */
export const isPlugAndPlay = process.versions['pnp'] !== undefined;

/** The module that registers the resolver of the folder. */
export function resolverOf(folder: string): string {
  return join(folder, 'packages.mjs');
}

/** Arguments of Node.js for a process that runs a service of the folder. */
export function resolverArguments(folder: string): readonly string[] {
  return isPlugAndPlay ? ['--import', pathToFileURL(resolverOf(folder)).href] : [];
}

/** Settings of Node.js for a process that inherits no other variables: those of Plug'n'Play. */
export function resolverEnvironment(): Readonly<Record<string, string>> {
  const { NODE_OPTIONS } = process.env;
  return isPlugAndPlay && NODE_OPTIONS !== undefined ? { NODE_OPTIONS } : {};
}
