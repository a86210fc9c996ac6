/** Starts peers written for Go and Bun, which are left out if the programs are missing and cannot be installed. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { libraryPath, programPaths } from '../helpers/install.js';
import { repository } from '../helpers/service-fixture.js';
import type { Bench } from './bench.js';
import { startServer, type ServerProcess } from './server-process.js';

const bunVersion = '1.4.5';

/** A started server, or the reason why there is none, in one sentence. */
export type Started = ServerProcess | string;

/** Settings of a peer: the environment, and the number of processors that Go uses. */
export interface PeerSettings {
  readonly environment: Readonly<Record<string, string>>;
  readonly processors?: number;
  readonly cores?: string | undefined;
}

const gopath = '/usr/share/gocode';

/** Debian's packages of the modules that each peer imports. */
const modules: Readonly<Record<string, readonly [path: string, debianPackage: string]>> = {
  'go-pg': ['github.com/jackc/pgx/v4', 'golang-github-jackc-pgx-v4-dev'],
  'go-mysql': ['github.com/go-sql-driver/mysql', 'golang-github-go-sql-driver-mysql-dev'],
};

/** Builds and starts `peers/<name>/main.go`. */
export async function startGo(
  bench: Bench,
  name: string,
  { environment, processors = 1, cores = bench.cores.server }: PeerSettings,
): Promise<Started> {
  const program = goProgram(bench, name);
  if (typeof program !== 'string') return program.reason;
  const set = { PORT: '0', GOMAXPROCS: String(processors), ...environment };
  return startServer({ program, args: [], environment: set, cores });
}

const goPrograms = new Map<string, string | { readonly reason: string }>();

function goProgram(bench: Bench, name: string): string | { readonly reason: string } {
  const known = goPrograms.get(name);
  if (known !== undefined) return known;
  let found: string | { readonly reason: string };
  try {
    found = buildGo(bench.workshop.folder, name);
  } catch (error) {
    found = { reason: `Left out: ${error instanceof Error ? error.message : String(error)}` };
  }
  goPrograms.set(name, found);
  return found;
}

function buildGo(folder: string, name: string): string {
  const go = programPaths({
    programs: ['go'],
    debianPackage: 'golang-go',
    missing: 'Go is not installed.',
  }).get('go');
  const module = modules[name];
  if (module !== undefined) {
    const [path, debianPackage] = module;
    libraryPath({
      files: [join(gopath, 'src', path)],
      debianPackage,
      missing: `The Debian package ${debianPackage} is not installed.`,
    });
  }
  const program = join(folder, name);
  execFileSync(go ?? '', ['build', '-o', program, join(repository, 'test/bench/peers', name, 'main.go')], {
    env: {
      ...{ PATH: process.env['PATH'], HOME: folder, GOCACHE: join(folder, 'go-cache') },
      ...{ GO111MODULE: 'off', GOPATH: gopath },
    },
  });
  return program;
}

/** Starts a module on Bun. */
export async function startBun(bench: Bench, file: string, settings: PeerSettings): Promise<Started> {
  const program = bunProgram();
  if (program === undefined) return `Left out: the npm package bun ${bunVersion} cannot be installed.`;
  const { environment, cores = bench.cores.server } = settings;
  return startServer({ program, args: [file], environment, cores });
}

/** The path of a peer for Bun. */
export function bunPeer(name: string): string {
  return join(repository, 'test/bench/peers', `${name}.mjs`);
}

/** The program of the npm package, which is not a dependency of the repository because it has 100 MB. */
function bunProgram(): string | undefined {
  const folder = join(repository, 'node_modules/.cache/bench-bun');
  const program = join(folder, 'node_modules/bun/bin/bun.exe');
  if (!existsSync(program)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
    const install = ['install', '--no-audit', '--no-fund', '--prefix', folder, `bun@${bunVersion}`];
    spawnSync('npm', install, { stdio: 'ignore' });
  }
  return spawnSync(program, ['--version']).status === 0 ? program : undefined;
}
