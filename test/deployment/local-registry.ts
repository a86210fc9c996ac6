/** A local npm registry (verdaccio): it serves packages published by tests, and forwards requests for other packages. */
import { execFile, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fetchTools, registryOf } from '../helpers/fetched-tool.js';
import { freePort } from '../helpers/free-port.js';
import { repository } from '../helpers/service-fixture.js';
import { Confined } from './confined.js';
import { npmEnvironment } from './npm-environment.js';

/** Packages with these names are never requested upstream, unless a test publishes its own version of them. */
const configuration = (upstream: string): string => `storage: ./storage
uplinks: { upstream: { url: '${upstream}' } }
packages:
  '@apikiln/*': { access: $all, publish: $anonymous }
  apikiln: { access: $all, publish: $anonymous }
  create-apikiln: { access: $all, publish: $anonymous }
  '**': { access: $all, publish: $anonymous, proxy: upstream }
publish: { allow_offline: true }
log: { type: stdout, format: pretty, level: warn }
`;

export class LocalRegistry {
  private constructor(
    private readonly folder: string,
    readonly url: string,
    private readonly process: Confined,
  ) {}

  /** Starts the registry with its files in an existing folder. */
  static async start(folder: string): Promise<LocalRegistry> {
    // One of verdaccio's dependencies needs a tag of node-fetch, which mirrors may not have.
    const tools = await fetchTools(join(folder, 'tools'), { verdaccio: '6.2.0' }, { 'node-fetch': '2.7.0' });
    writeFileSync(join(folder, 'registry.yaml'), configuration(await registryOf(folder)));
    const address = `127.0.0.1:${await freePort()}`;
    const words = ['--config', join(folder, 'registry.yaml'), '--listen', address];
    const child = spawn(process.execPath, [join(tools, 'verdaccio/bin/verdaccio'), ...words], {
      cwd: folder,
      env: npmEnvironment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const running = new Confined(child);
    await running.until(/http address/);
    writeFileSync(join(folder, 'npmrc'), `//${address}/:_authToken=anybody\n`);
    return new LocalRegistry(folder, `http://${address}/`, running);
  }

  /** Environment variables that make npm use this registry, also for publishing. */
  get environment(): Record<string, string> {
    return {
      ...npmEnvironment,
      npm_config_registry: this.url,
      npm_config_userconfig: join(this.folder, 'npmrc'),
      npm_config_audit: 'false',
    };
  }

  /** Publishes a tarball or a folder; a version older than the latest one needs another tag. */
  async publish(path: string, tag = 'latest'): Promise<void> {
    const args = ['publish', path, '--tag', tag];
    await promisify(execFile)('npm', args, { cwd: this.folder, env: this.environment });
  }

  /** Publishes the tarball of the runtime that is part of the tool. */
  async publishRuntime(): Promise<void> {
    const { tarball } = JSON.parse(readFileSync(join(repository, 'dist/runtime.json'), 'utf8')) as {
      readonly tarball: string;
    };
    await this.publish(join(repository, 'dist', tarball));
  }

  async stop(): Promise<void> {
    this.process.child.kill('SIGTERM');
    await this.process.ended;
  }
}
