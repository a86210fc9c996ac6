/** Package managers in exact versions, and the tests that each must pass with a built service. */
import { execFile } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { npmEnvironment } from '../deployment/npm-environment.js';
import { fetchTools, registryOf } from '../helpers/fetched-tool.js';
import { RunningService } from '../helpers/running-service.js';
import { buildWhole, expectWhole, prepareWhole, withEarlierRuntime } from './whole-service.js';

interface Manager {
  /** The npm package that contains the manager, with its version; npm itself is the installed one. */
  readonly fetched?: readonly [name: string, version: string];
  /** The words at the beginning of each command; `tools` is the folder with fetched packages. */
  readonly program: (tools: string) => readonly string[];
  /** Installs packages from package.json, and writes or updates the lock file. */
  readonly install: readonly string[];
  /** Installs only packages from the lock file. */
  readonly frozen: readonly string[];
  readonly lock: string;
  /** The commands that install the versions of package-lock.json in the folder of a built service. */
  readonly asLocked?: readonly (readonly string[])[];
  /** The linker in .yarnrc.yml. */
  readonly linker?: 'pnp';
  /** The location of overrides for versions of transitive dependencies. */
  readonly forces: 'overrides' | 'resolutions' | 'pnpm-workspace.yaml';
}

const yarn = {
  fetched: ['@yarnpkg/cli-dist', '4.18.1'],
  program: (tools) => [process.execPath, join(tools, '@yarnpkg/cli-dist/bin/yarn.js')],
  install: ['install'],
  frozen: ['install', '--immutable'],
  lock: 'yarn.lock',
  forces: 'resolutions',
} as const satisfies Manager;

export const managers: Readonly<Record<string, Manager>> = {
  npm: {
    program: () => ['npm'],
    install: ['install', '--prefer-offline'],
    frozen: ['ci', '--prefer-offline'],
    lock: 'package-lock.json',
    forces: 'overrides',
    asLocked: [['ci', '--prefer-offline']],
  },
  pnpm: {
    fetched: ['pnpm', '10.34.8'],
    program: (tools) => [process.execPath, join(tools, 'pnpm/bin/pnpm.cjs')],
    install: ['install', '--no-frozen-lockfile'],
    frozen: ['install', '--frozen-lockfile'],
    lock: 'pnpm-lock.yaml',
    forces: 'pnpm-workspace.yaml',
    asLocked: [['import'], ['install', '--frozen-lockfile']],
  },
  'Yarn 4': yarn,
  "Yarn 4 with Plug'n'Play": { ...yarn, linker: 'pnp' },
  'Yarn 1': {
    fetched: ['yarn', '1.22.22'],
    program: (tools) => [process.execPath, join(tools, 'yarn/bin/yarn.js')],
    install: ['install'],
    frozen: ['install', '--frozen-lockfile'],
    lock: 'yarn.lock',
    forces: 'resolutions',
  },
  Bun: {
    fetched: ['@oven/bun-linux-x64', '1.4.4'],
    program: (tools) => [join(tools, '@oven/bun-linux-x64/bin/bun')],
    install: ['install'],
    frozen: ['install', '--frozen-lockfile'],
    lock: 'bun.lock',
    forces: 'overrides',
    asLocked: [['install']],
  },
};

/** Fetches the named managers; returns the folder with their packages. */
export async function fetchManagers(folder: string, names: readonly string[]): Promise<string> {
  const packages = names
    .flatMap((name) => [managers[name]?.fetched ?? []])
    .filter(({ length }) => length > 0);
  return fetchTools(folder, Object.fromEntries(packages) as Record<string, string>);
}

/** Variables that make every manager use this registry, even over plain HTTP. */
export function usingRegistry(registry: string): Record<string, string> {
  const names = ['npm_config_registry', 'YARN_REGISTRY', 'YARN_NPM_REGISTRY_SERVER'];
  return {
    ...npmEnvironment,
    ...Object.fromEntries(names.map((name) => [name, registry])),
    CI: '',
    YARN_ENABLE_TELEMETRY: '0',
    YARN_UNSAFE_HTTP_WHITELIST: '127.0.0.1',
  };
}

/** A service's folder, in which one manager installs packages. */
export class ManagedService {
  constructor(
    readonly folder: string,
    private readonly manager: Manager,
    private readonly tools: string,
    private readonly environment: Readonly<Record<string, string>>,
  ) {
    if (manager.linker !== undefined)
      writeFileSync(join(folder, '.yarnrc.yml'), `nodeLinker: ${manager.linker}\n`);
  }

  /** Runs a command of the manager; throws the complete output if it fails. */
  async run(...words: readonly string[]): Promise<void> {
    const [program = '', ...args] = [...this.manager.program(this.tools), ...words];
    try {
      await promisify(execFile)(program, args, { cwd: this.folder, env: this.environment });
    } catch (error) {
      // Yarn prints its errors to standard output.
      const { stdout } = error as { readonly stdout: string };
      throw new Error(`${String(error)}\n${stdout}`, { cause: error });
    }
  }

  async install(): Promise<void> {
    await this.run(...this.manager.install);
  }

  /** Installs like on another machine: from the lock file, without the installed packages. */
  async installAnew(): Promise<void> {
    for (const installed of ['node_modules', '.pnp.cjs', '.pnp.loader.mjs', '.yarn'])
      rmSync(join(this.folder, installed), { recursive: true, force: true });
    const lock = this.read(this.manager.lock);
    await this.run(...this.manager.frozen);
    expect(this.read(this.manager.lock)).toBe(lock);
    // A Plug'n'Play installation does not have the folder.
    expect(existsSync(join(this.folder, 'node_modules'))).toBe(this.manager.linker === undefined);
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), 'utf8');
  }

  /** The environment in which Node.js finds the packages. */
  get settings(): Record<string, string> {
    if (this.manager.linker === undefined) return {};
    const [hook, loader] = ['.pnp.cjs', '.pnp.loader.mjs'].map((name) => join(this.folder, name));
    return { NODE_OPTIONS: `--require ${hook ?? ''} --experimental-loader ${loader ?? ''}` };
  }

  /** Changes package.json. */
  edit(change: (manifest: Record<string, unknown>) => void): void {
    const manifest = JSON.parse(this.read('package.json')) as Record<string, unknown>;
    change(manifest);
    writeFileSync(join(this.folder, 'package.json'), JSON.stringify(manifest, undefined, 2));
  }

  /** Allows Yarn to install versions of these packages on their release day, which it refuses by default. */
  approve(names: readonly string[]): void {
    if (this.manager.lock === 'yarn.lock')
      appendFileSync(
        join(this.folder, '.yarnrc.yml'),
        `npmPreapprovedPackages: [${names.map((name) => `"${name}"`).join(', ')}]\n`,
      );
  }

  /** Overrides the version of a transitive dependency, even outside the range of the packages that depend on it. */
  force(name: string, version: string): void {
    const field = this.manager.forces;
    if (field === 'pnpm-workspace.yaml')
      appendFileSync(join(this.folder, field), `overrides:\n  ${name}: ${version}\n`);
    else
      this.edit((manifest) => {
        manifest[field] = { [name]: version };
      });
  }

  /** The packages loaded by the runtime. */
  async loaded(): Promise<Loaded> {
    const path = join(this.folder, 'loaded.mjs');
    writeFileSync(path, loaded);
    const env = { ...this.environment, ...this.settings };
    const { stdout } = await promisify(execFile)(process.execPath, [path], { cwd: this.folder, env });
    rmSync(path);
    return JSON.parse(stdout) as Loaded;
  }
}

/** Whether the runtime is the earlier one, and the versions of pg and of its dependencies, as loaded by the runtime. */
interface Loaded {
  readonly earlier: boolean;
  readonly pg: string;
  readonly pgTypes: string;
  readonly split2: string;
}

const loaded = `import { createRequire } from 'node:module';
import * as runtime from '@apikiln/runtime';
const within = (require, name) => createRequire(require.resolve(name + '/package.json'));
const pg = within(within(createRequire(import.meta.url), '@apikiln/runtime'), 'pg');
console.log(JSON.stringify({
  earlier: 'earlier' in runtime,
  pg: pg('./package.json').version,
  pgTypes: pg('pg-types/package.json').version,
  split2: within(pg, 'pgpass')('split2/package.json').version,
}));
`;

/** The tests of these managers; if TypeScript does not find the packages, the service is the one built by the first manager. */
export function describeManagers(names: readonly string[]): void {
  const root = mkdtempSync(join(tmpdir(), 'apikiln-managers-'));
  let tools: string;
  let environment: Record<string, string>;
  let settings: Record<string, string>;

  beforeAll(async () => {
    tools = await fetchManagers(join(root, 'tools'), names);
    environment = usingRegistry(await registryOf(root));
    withEarlierRuntime(await buildWhole(join(root, 'built')));
    settings = await prepareWhole(`managers_${process.pid}`);
  });

  afterAll(() => {
    rmSync(root, { recursive: true, force: true });
  });

  const placeOf = (name: string): string => join(root, name.replaceAll(/\W/g, ''));

  function copied(name: string, place = placeOf(name)): ManagedService {
    const manager = managers[name];
    if (manager === undefined) throw new Error(`There is no manager ${name}.`);
    cpSync(join(root, 'built'), place, { recursive: true });
    return new ManagedService(join(place, 'service'), manager, tools, environment);
  }

  describe.each(names)('%s', (name) => {
    const { asLocked, linker } = managers[name] ?? {};
    let service: ManagedService;

    test('installs the service without a lock file', async () => {
      service = copied(name);
      const lock = service.read('package-lock.json');
      rmSync(join(service.folder, 'package-lock.json'));
      await service.install();
      expect(await service.loaded()).toMatchObject({ earlier: true });
      if (name !== 'npm') writeFileSync(join(service.folder, 'package-lock.json'), lock);
    });

    test('installs another runtime of the same version after the next build', async () => {
      await buildWhole(placeOf(name));
      const lock = service.read('package-lock.json');
      await service.install();
      expect(await service.loaded()).toMatchObject({ earlier: false });
      expect(service.read('package-lock.json')).toBe(lock);
    });

    test('installs what its lock file has, and the service builds and runs', async () => {
      await service.installAnew();
      expect(await service.loaded()).toMatchObject({ earlier: false });
      if (linker === undefined) await service.run('run', 'build');
      else
        cpSync(join(placeOf(names[0] ?? ''), 'service/dist'), join(service.folder, 'dist'), {
          recursive: true,
        });
      const running = await RunningService.start(service.folder, { ...settings, ...service.settings });
      try {
        await expectWhole(running.url);
      } finally {
        expect(await running.stop()).toBe(0);
      }
    });

    test.runIf(asLocked !== undefined)('installs the versions of package-lock.json', async () => {
      const locked = copied(name, `${placeOf(name)}-locked`);
      const lock = JSON.parse(locked.read('package-lock.json')) as {
        readonly packages: Record<string, { readonly version?: string }>;
      };
      // An earlier version that is also allowed by pgpass.
      lock.packages['node_modules/split2'] = { version: '4.1.0' };
      writeFileSync(join(locked.folder, 'package-lock.json'), JSON.stringify(lock));
      for (const words of asLocked ?? []) await locked.run(...words);
      expect(await locked.loaded()).toMatchObject({ earlier: true, split2: '4.1.0' });
    });
  });
}
