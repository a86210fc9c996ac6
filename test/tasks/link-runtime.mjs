/** Imitates `npm install` for a service that finds all other packages in this repository. */
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './prepare.mjs';

/**
 * Links the latest build of the runtime into the service in the folder.
 * @param {string} folder
 */
export function linkRuntime(folder) {
  const packages = join(folder, 'node_modules', '@apikiln');
  mkdirSync(packages, { recursive: true });
  if (!existsSync(join(packages, 'runtime')))
    symlinkSync(join(root, 'dist/runtime'), join(packages, 'runtime'), 'junction');
}
