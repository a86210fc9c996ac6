/** `apikiln build --watch` follows all files that a build reads, however they change, and continues after errors in them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { watch } from '../../compiler/tools/commands/watch.js';
import { CommandError } from '../../compiler/tools/commands/shared/output/exit-status.js';
import { terminalOf } from '../../compiler/tools/commands/shared/output/terminal.js';
import { configuration, Workspace } from './workspace.js';
import { builtTool } from '../helpers/shared-servers.js';

let space: Workspace;
let printed: string;
let stop: AbortController;
let ended: Promise<number>;

beforeEach(() => {
  space = new Workspace();
  printed = '';
  stop = new AbortController();
});

afterEach(async () => {
  stop.abort();
  await ended.catch(() => undefined);
  space.remove();
});

/** Starts the watch in the folder, and waits for its first build. */
async function start(config?: string, openapi?: string): Promise<void> {
  const log = (text: string): void => {
    printed += `${text}\n`;
  };
  const terminal = { ...terminalOf(process), folder: space.folder, print: log, log };
  const options = { format: 'text', out: 'out', ...(openapi === undefined ? {} : { openapi }) } as const;
  ended = watch(config, options, terminal, stop.signal);
  await builds(1);
}

/** Waits until `count` builds have ended, and returns the output of the last one. */
async function builds(count: number): Promise<string> {
  const waiting = 'Waiting for changes; Ctrl-C ends it.\n';
  const parts = (): string[] => printed.split(waiting);
  await Promise.race([
    ended,
    (async () => {
      while (parts().length <= count) await new Promise((resolve) => setTimeout(resolve, 5));
    })(),
  ]);
  expect(parts().length).toBe(count + 1);
  return parts()[count - 1] ?? '';
}

function operations(): string[] {
  return Object.keys(space.files('out/src/operations'));
}

describe('the configuration', () => {
  beforeEach(async () => {
    space.write('config.yaml', configuration('GET /a'));
    await start();
    expect(operations()).toEqual(['get-a.ts']);
  });

  test('is written: the service follows, and only what changed is written', async () => {
    const before = space.files('out');
    space.write('config.yaml', configuration('GET /a', 'GET /b'));
    expect(await builds(2)).toMatch(/^\nconfig\.yaml: changed\nout: 1 added, \d changed\n$/);
    const after = space.files('out');
    expect(operations()).toEqual(['get-a.ts', 'get-b.ts']);
    const fresh = new Workspace();
    try {
      fresh.write('config.yaml', configuration('GET /a', 'GET /b'));
      await fresh.build();
      expect(after).toEqual(fresh.files('out'));
    } finally {
      fresh.remove();
    }
    space.write('config.yaml', configuration('GET /a'));
    await builds(3);
    expect(space.files('out')).toEqual(before);
  });

  test('has an error: it is reported, the service stays, and the fix is built', async () => {
    const before = space.files('out');
    space.write('config.yaml', configuration('GET /a').replace('VALUE(news,', 'VALUE(nws,'));
    expect(await builds(2)).toContain('[unknown-fulfillment]');
    expect(space.files('out')).toEqual(before);
    space.write('config.yaml', '{');
    expect(await builds(3)).toContain('error');
    space.write('config.yaml', Buffer.from([0xff]));
    expect(await builds(4)).toContain('not UTF-8');
    space.write('config.yaml', configuration('GET /b'));
    await builds(5);
    expect(operations()).toEqual(['get-b.ts']);
  });

  test('is replaced by another file, again and again', async () => {
    for (const [index, name] of ['b', 'c', 'd'].entries()) {
      space.write('config.yaml~', configuration(`GET /${name}`));
      renameSync(space.path('config.yaml~'), space.path('config.yaml'));
      await builds(index + 2);
      expect(operations()).toEqual([`get-${name}.ts`]);
    }
  });

  test('is deleted and created again', async () => {
    rmSync(space.path('config.yaml'));
    expect(await builds(2)).toContain('There is no config.yaml');
    expect(operations()).toEqual(['get-a.ts']);
    space.write('config.yaml', configuration('GET /b'));
    await builds(3);
    expect(operations()).toEqual(['get-b.ts']);
  });

  test('is touched by nobody: other files and its own writing start no build', async () => {
    space.write('notes.txt', 'of no concern');
    space.write('out/src/operations/mine.ts', 'of no concern');
    space.write('config.yaml', configuration('GET /b'));
    await builds(2);
    space.write('config.yaml', configuration('GET /c'));
    expect(await builds(3)).toContain('config.yaml: changed');
  });

  test('is watched until the end is asked for', async () => {
    stop.abort();
    expect(await ended).toBe(0);
  });
});

test('a configuration in a folder that is removed and created again', async () => {
  space.write('of/news/config.yaml', configuration('GET /a'));
  await start('of/news/config.yaml');
  rmSync(space.path('of'), { recursive: true });
  expect(await builds(2)).toContain('of/news/config.yaml cannot be read: there is no such file.');
  space.write('of/news/config.yaml', configuration('GET /b'));
  await builds(3);
  expect(operations()).toEqual(['get-b.ts']);
});

test('a folder of migrations: a new one is a new folder, and a file in one is changed', async () => {
  space.write('config.yaml', configuration('GET /a').replace("SELECT 'GET /a'", 'SELECT a FROM news'));
  space.write('migrations/1/migration.sql', 'CREATE TABLE news (a int)');
  await start();
  space.write('next/migration.sql', 'ALTER TABLE news RENAME a TO b');
  renameSync(space.path('next'), space.path('migrations/2'));
  expect(await builds(2)).toContain('column "a" does not exist');
  space.write('migrations/2/migration.sql', 'ALTER TABLE news ADD b int');
  expect(await builds(3)).not.toContain('error');
});

test('a configuration behind a link that changes to another file', async () => {
  space.write('one.yaml', configuration('GET /a'));
  space.write('two.yaml', configuration('GET /b'));
  symlinkSync('one.yaml', space.path('config.yaml'));
  await start();
  symlinkSync('two.yaml', space.path('other'));
  renameSync(space.path('other'), space.path('config.yaml'));
  await builds(2);
  expect(operations()).toEqual(['get-b.ts']);
});

test('a configuration that is not there yet', async () => {
  await start();
  expect(printed).toContain('There is no config.yaml');
  space.write('config.yaml', configuration('GET /a'));
  await builds(2);
  expect(operations()).toEqual(['get-a.ts']);
});

describe('the API description', () => {
  const description = (type: string): string =>
    JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'News', version: '1' },
      paths: {
        '/a': {
          get: {
            parameters: [{ name: 'page', in: 'query', schema: { $ref: 'schemas/page.json' } }],
            responses: { 200: { description: type } },
          },
        },
      },
    });

  beforeEach(async () => {
    space.write('config.yaml', configuration('GET /a'));
    await start();
    expect(space.exists('out/src/api.ts')).toBe(false);
  });

  test('is added, its references are followed, and it is removed', async () => {
    space.write('openapi.json', description('ok'));
    expect(await builds(2)).toContain("'schemas/page.json'");
    space.write('schemas/page.json', '{ "type": "integer" }');
    expect(await builds(3)).toContain('schemas/page.json: changed');
    const integer = space.read('out/src/api.ts');
    space.write('schemas/page.json', '{ "type": "boolean" }');
    await builds(4);
    expect(space.read('out/src/api.ts')).not.toBe(integer);
    rmSync(space.path('openapi.json'));
    await builds(5);
    expect(space.exists('out/src/api.ts')).toBe(false);
  });
});

test('wrong use ends it immediately', async () => {
  space.write('config.yaml', configuration('GET /a'));
  const terminal = { ...terminalOf(process), folder: space.folder, log: () => undefined };
  ended = watch(undefined, { format: 'text', out: '.' }, terminal, stop.signal);
  await expect(ended).rejects.toThrow(CommandError);
  expect((await space.run('build', '--out', 'out', '--watch', '--check')).status).toBe(2);
});

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends the program with 0', async (signal) => {
  ended = Promise.resolve(0);
  space.write('config.yaml', configuration('GET /a'));
  const args = [await builtTool(), 'build', '--out', 'out', '--watch'];
  const child = spawn(process.execPath, args, { cwd: space.folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const exit = once(child, 'exit');
  try {
    for await (const text of child.stderr.setEncoding('utf8') as AsyncIterable<string>) {
      printed += text;
      if (printed.includes('Waiting for changes')) child.kill(signal);
    }
    expect(await exit).toEqual([0, null]);
    expect(operations()).toEqual(['get-a.ts']);
  } finally {
    child.kill('SIGKILL');
  }
});

test('included files: a change, a new one that a pattern matches, a removed one, and one in a new folder', async () => {
  const parsed = (name: string): { readonly operations: unknown } =>
    JSON.parse(configuration(name)) as { readonly operations: unknown };
  const included = (name: string): string => JSON.stringify(parsed(name).operations);
  space.write('config.yaml', JSON.stringify({ ...parsed('GET /a'), include: ['more/**/*.yaml'] }));
  space.write('more/b.yaml', included('GET /b'));
  await start();
  expect(operations()).toEqual(['get-a.ts', 'get-b.ts']);
  space.write('more/b.yaml', included('GET /other'));
  expect(await builds(2)).toContain('more/b.yaml: changed');
  expect(operations()).toEqual(['get-a.ts', 'get-other.ts']);
  space.write('more/c.yaml', included('GET /c'));
  await builds(3);
  expect(operations()).toEqual(['get-a.ts', 'get-c.ts', 'get-other.ts']);
  rmSync(space.path('more/b.yaml'));
  await builds(4);
  expect(operations()).toEqual(['get-a.ts', 'get-c.ts']);
  space.write('elsewhere.yaml', included('GET /d'));
  mkdirSync(space.path('more/inner'));
  await builds(5);
  renameSync(space.path('elsewhere.yaml'), space.path('more/inner/d.yaml'));
  await builds(6);
  expect(operations()).toEqual(['get-a.ts', 'get-c.ts', 'get-d.ts']);
});
