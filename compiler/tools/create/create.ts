#!/usr/bin/env node
/**
 * The program of `create-apikiln`, which `npm create apikiln` runs: creates a folder, installs apikiln in it, and runs `apikiln init`. Uses
 * nothing but Node, because it is a separate package.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';

const usage = `Usage: npm create apikiln [dir] [-- options]

Creates a service: a folder with a package.json, apikiln as a development dependency, and the files of
'apikiln init'. Without dir, in the current folder. The options are those of 'apikiln init':

  npm create apikiln shop
  npm create apikiln shop -- --syntax b --database mariadb
  npm create apikiln shop -- --from-openapi openapi.yaml
`;

// Files that options name, such as an API description, are found from the current folder.
try {
  process.exitCode = create(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof Error && 'syscall' in error)) throw error;
  process.stderr.write(`The service cannot be created: ${error.message.replace(/^\w+: /, '')}\n`);
  process.exitCode = 1;
}

function create(args: readonly string[]): number {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(usage);
    return 0;
  }
  const [first] = args;
  const isNamed = first !== undefined && !first.startsWith('-');
  const folder = resolve(isNamed ? first : '.');
  const status = install(folder);
  if (status !== 0) return status;
  const tool = toolIn(folder);
  if (tool !== undefined) return run([tool, 'init', ...(isNamed ? [] : ['.']), ...args], '.');
  process.stdout.write(
    `\napikiln is installed in ${folder}. Run 'apikiln init' there with your package manager.\n`,
  );
  return 0;
}

/** Installs the version of apikiln that belongs to this package; returns the exit status. */
function install(folder: string): number {
  mkdirSync(folder, { recursive: true });
  const manifest = join(folder, 'package.json');
  if (!existsSync(manifest)) {
    // The test page of services needs none of the statistics that a package of it would send when it is installed.
    const allowScripts = { '@scarf/scarf': false };
    const content = { name: packageName(basename(folder)), private: true, allowScripts };
    writeFileSync(manifest, `${JSON.stringify(content, undefined, 2)}\n`);
  }
  const { version } = readManifest(new URL('package.json', import.meta.url));
  // npm, pnpm, Yarn and Bun share these words, and name themselves in this variable.
  const words = ['add', '-D', `apikiln@${version}`];
  // npx is a separate program in the folder of npm.
  const manager = (process.env['npm_execpath'] ?? '').replace(/npx-cli\.js$/, 'npm-cli.js');
  if (/\.[cm]?js$/.test(manager)) return run([manager, ...words], folder);
  const isWindows = process.platform === 'win32';
  const options = { cwd: folder, stdio: 'inherit', shell: isWindows && manager === '' } as const;
  return spawnSync(manager === '' ? 'npm' : manager, words, options).status ?? 1;
}

/** The program of the installed apikiln; undefined under Plug'n'Play, which has no files of packages. */
function toolIn(folder: string): string | undefined {
  try {
    const manifest = createRequire(join(folder, 'package.json')).resolve('apikiln/package.json');
    return join(dirname(manifest), readManifest(manifest).bin?.apikiln ?? '');
  } catch {
    return undefined;
  }
}

/** Runs a program of JavaScript; returns its exit status. */
function run(args: readonly string[], folder: string): number {
  return spawnSync(process.execPath, args, { cwd: folder, stdio: 'inherit' }).status ?? 1;
}

interface Manifest {
  readonly version: string;
  readonly bin?: Readonly<Record<'apikiln', string>>;
}

function readManifest(path: string | URL): Manifest {
  return JSON.parse(readFileSync(path, 'utf8')) as Manifest;
}

/** A name that npm accepts: `My Shop` becomes `my-shop`. */
function packageName(text: string): string {
  const name = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  // npm refuses to install apikiln in a package of this name.
  return name === '' || name === 'apikiln' ? 'service' : name;
}
