/** `npm run demo`: everything up to a service that answers, and back. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { freePort } from '../helpers/free-port.js';
import { repository } from '../helpers/service-fixture.js';

let end: () => void = () => undefined;

afterEach(() => {
  end();
});

test('it runs the news service on an embedded database, and ends with Ctrl-C', async () => {
  const demo = spawn(process.execPath, [join(repository, 'test/tasks/demo.mjs')], {
    env: { ...process.env, PORT: String(await freePort()) },
  });
  end = () => demo.kill('SIGKILL');
  let output = '';
  const add = (text: Buffer): void => {
    output += String(text);
  };
  demo.stdout.on('data', add);
  demo.stderr.on('data', add);
  const ended = once(demo, 'exit');
  const isThere = async (): Promise<void> => {
    while (!output.includes('Ctrl-C stops everything')) await once(demo.stdout, 'data');
  };
  await Promise.race([isThere(), ended]);
  const [, url = ''] = /runs at (http:\S+)/.exec(output) ?? [];
  expect(url, output).not.toBe('');
  const news = (await (await fetch(`${url}/news/1`)).json()) as { title: string };
  expect(news.title).toBe('Kiln lit');
  demo.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
  expect(output).not.toMatch(/warn|error/i);
});
