/** A registry of npm packages on this machine, verdaccio: it has what tests publish, and passes requests for other packages on. */
import { execFile, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fetchTools, registryOf } from '../helpers/fetched-tool.js';
import { freePort } from '../helpers/free-port.js';
import { repository } from '../helpers/service-fixture.js';
import { Confined } from './confined.js';
import { npmEnvironment } from './npm-environment.js';

/** Packages of these names are never asked for elsewhere, unless a test has its own version of them. */
const configuration = (upstream: string): string => `storage: ./storage
uplinks: { upstream: { url: '${upstream}' } }
packages:
  '@apikiln/*': { access: $all, publish: $anonymous }
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

  /** Starts it with its files in the folder, which exists. */
  static async start(folder: string): Promise<LocalRegistry> {
    // One of its packages asks for a tag of node-fetch, which mirrors may not have.
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

  /** In which npm uses this registry, also to publish. */
  get environment(): Record<string, string> {
    return {
      ...npmEnvironment,
      npm_config_registry: this.url,
      npm_config_userconfig: join(this.folder, 'npmrc'),
      npm_config_audit: 'false',
    };
  }

  /** Publishes a tarball, or a folder; a version before the latest one needs another tag. */
  async publish(path: string, tag = 'latest'): Promise<void> {
    const args = ['publish', path, '--tag', tag];
    await promisify(execFile)('npm', args, { cwd: this.folder, env: this.environment });
  }

  /** Publishes the tarball of the runtime, as the tool has it. */
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
