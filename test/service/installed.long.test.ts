/** A service built with the user's steps in a separate folder: build, npm install, npm run build, npm start. */
import { testTerminal } from '../helpers/test-terminal.js';
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { build } from '../../compiler/tools/commands/build.js';
import { manyRuns } from '../helpers/runs.js';
import { entriesConfig } from './entries.js';
import { ask, kinds, prepare, sharedServer } from './services.js';

// test/deployment/docker.test.ts covers PostgreSQL, because the Dockerfile runs the same commands.
describe.each(manyRuns ? kinds : (['mariadb'] as const))('%s', (kind) => {
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'apikiln-installed-'));
    writeFileSync(join(folder, 'config.yaml'), entriesConfig(kind));
    const silent = (): void => undefined;
    const terminal = testTerminal(folder, silent);
    expect(await build(undefined, { format: 'text', out: 'service' }, terminal)).toBe(0);
    await npm('install', '--no-audit', '--no-fund', '--prefer-offline');
    await npm('run', 'build');
  });

  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  /** A clean environment without variables of the npm that runs the tests. */
  function environment(): Record<string, string> {
    const kept = Object.entries(process.env).filter(([name]) =>
      /^(?:PATH|HOME|https?_proxy|NODE_EXTRA_CA_CERTS|npm_config_\w+)$/i.test(name),
    );
    return Object.fromEntries(kept.map(([name, value]) => [name, value ?? '']));
  }

  async function npm(...args: string[]): Promise<void> {
    await promisify(execFile)('npm', args, { cwd: join(folder, 'service'), env: environment() });
  }

  test('has the packages of its own database and not those of the other', () => {
    const packages = readdirSync(join(folder, 'service/node_modules'));
    const [own, other] = kind === 'postgresql' ? ['pg', 'mysql2'] : ['mysql2', 'pg'];
    expect(packages).toEqual(expect.arrayContaining(['pino', own]));
    expect(packages).not.toContain(other);
    // Express is only needed if user code imports it.
    expect(packages).not.toContain('express');
  });

  test('starts on any free port, responds from the database, and stops when it is asked to', async () => {
    const variables = await prepare(await sharedServer[kind](), kind, 'service_installed');
    const service = spawn('npm', ['start', '--silent'], {
      cwd: join(folder, 'service'),
      env: { ...environment(), ...variables, PORT: '0', HOST: '127.0.0.1' },
      stdio: ['ignore', 'pipe', 'pipe'],
      // npm does not forward signals reliably, so the signal is sent to the process group.
      detached: true,
    });
    const ended = new Promise<number | null>((resolve) => service.once('exit', resolve));
    try {
      let printed = '';
      const url = await new Promise<string>((resolve, reject) => {
        const read = (chunk: string): void => {
          printed += chunk;
          const found = /listening on (http:\/\/\S+)/.exec(printed)?.[1];
          if (found !== undefined) resolve(found);
        };
        service.stdout.setEncoding('utf8').on('data', read);
        service.stderr.setEncoding('utf8').on('data', read);
        service.once('exit', () => {
          reject(new Error(printed));
        });
      });
      expect(await ask(url, 'POST', '/entries', { tag: 'a', amount: 1 })).toMatchObject({
        status: 201,
        body: { id: 1, tag: 'a' },
      });
      expect((await ask(url, 'GET', '/entries/a')).body).toEqual({ tag: 'a', amount: 1 });
      expect((await ask(url, 'GET', '/entries/b')).body).toEqual({ message: 'No entry b' });
    } finally {
      if (service.pid !== undefined) process.kill(-service.pid, 'SIGTERM');
    }
    await ended;
  });
});
