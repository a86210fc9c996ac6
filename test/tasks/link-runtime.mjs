/** What `npm install` does for a service that finds all other packages in this repository. */
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Links the runtime of the service in the folder under the name of its package.
 * @param {string} folder
 */
export function linkRuntime(folder) {
  const packages = join(folder, 'node_modules', '@apikiln');
  mkdirSync(packages, { recursive: true });
  if (!existsSync(join(packages, 'runtime')))
    symlinkSync('../../runtime', join(packages, 'runtime'), 'junction');
}
