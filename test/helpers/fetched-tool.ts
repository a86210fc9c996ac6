/** Fetches programs for tests from the registry into a temporary folder, so that they need not be dependencies of this package. */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { npmEnvironment } from '../deployment/npm-environment.js';

/** The configured npm registry, for package managers that do not read npm's configuration. */
export async function registryOf(folder: string): Promise<string> {
  const args = ['config', 'get', 'registry'];
  const { stdout } = await promisify(execFile)('npm', args, { cwd: folder, env: npmEnvironment });
  return stdout.trim();
}

/** Installs packages of exact versions, and returns their folder; `overrides` as in package.json. */
export async function fetchTools(
  folder: string,
  dependencies: Readonly<Record<string, string>>,
  overrides: Readonly<Record<string, string>> = {},
): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const manifest = { private: true, dependencies, overrides };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  await promisify(execFile)('npm', args, { cwd: folder, env: npmEnvironment });
  return join(folder, 'node_modules');
}
