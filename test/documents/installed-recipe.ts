/** Recipes with npm packages: built by the command, in a temporary folder, with their packages installed by npm. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { build } from '../../compiler/tools/commands/build.js';
import { testTerminal } from '../helpers/test-terminal.js';
import type { RecipeFolder } from './recipe-folder.js';

export interface InstalledRecipe {
  /** The folder of the built service. */
  readonly service: string;
  remove(): void;
}

/** Builds the service of a recipe, adds the files that the page shows, runs its npm commands, and builds both again. */
export async function installRecipe(recipe: RecipeFolder): Promise<InstalledRecipe> {
  const folder = mkdtempSync(join(tmpdir(), `apikiln-${recipe.name}-`));
  const service = join(folder, 'service');
  writeFileSync(join(folder, 'config.yaml'), recipe.files.get('config.yaml') ?? '');
  const silent = (): void => undefined;
  const buildService = async (): Promise<void> => {
    expect(await build(undefined, { format: 'text', out: 'service' }, testTerminal(folder, silent))).toBe(0);
  };
  await buildService();
  for (const [path, text] of recipe.files) {
    if (!path.includes('/')) continue;
    mkdirSync(dirname(join(service, path)), { recursive: true });
    writeFileSync(join(service, path), text);
  }
  await buildService();
  await npm(service, 'install');
  const commands = recipe.blocks.filter(({ language }) => language === 'sh').map(({ text }) => text);
  for (const line of commands.join('\n').split('\n').filter(Boolean))
    await npm(service, ...line.replace(/^npm /, '').split(' '));
  await npm(service, 'run', 'build');
  return {
    service,
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Runs npm without the variables of the npm that runs the tests. */
async function npm(folder: string, ...args: string[]): Promise<void> {
  const kept = Object.entries(process.env).filter(([name]) =>
    /^(?:PATH|HOME|https?_proxy|NODE_EXTRA_CA_CERTS|npm_config_\w+)$/i.test(name),
  );
  const env = Object.fromEntries(kept.map(([name, value]) => [name, value ?? '']));
  const options = args[0] === 'install' ? ['--no-audit', '--no-fund', '--prefer-offline'] : [];
  await promisify(execFile)('npm', [...args, ...options], { cwd: folder, env });
}
