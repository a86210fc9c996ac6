/** `npm run demo`: starts a responding service, and stops everything afterwards. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { freePort } from '../helpers/free-port.js';
import { repository } from '../helpers/service-fixture.js';
import { examples } from '../tasks/examples.mjs';

let end: () => void = () => undefined;

afterEach(() => {
  end();
});

/** Starts the demo of an example; the result gives access to its output. */
async function demoOf(...names: string[]) {
  const demo = spawn(process.execPath, [join(repository, 'test/tasks/demo.mjs'), ...names], {
    env: { ...process.env, PORT: String(await freePort()) },
  });
  end = () => demo.kill('SIGKILL');
  let output = '';
  const add = (text: Buffer): void => {
    output += String(text);
  };
  demo.stdout.on('data', add);
  demo.stderr.on('data', add);
  return { demo, ended: once(demo, 'exit'), output: () => output };
}

test('it runs an example on an embedded database, with stubs for third parties, and ends with Ctrl-C', async () => {
  const { demo, ended, output } = await demoOf('integrations');
  const isThere = async (): Promise<void> => {
    while (!output().includes('Ctrl-C stops everything')) await once(demo.stdout, 'data');
  };
  await Promise.race([isThere(), ended]);
  const [, url = ''] = /runs at (http:\S+)/.exec(output()) ?? [];
  expect(url, output()).not.toBe('');
  const headers = { authorization: `Basic ${Buffer.from('shop:shop').toString('base64')}` };
  const rates = (await (await fetch(`${url}/orders/1/rates`, { headers })).json()) as { price: number }[];
  expect(rates.map(({ price }) => price)).toEqual([19.9, null, 5.9]);
  demo.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
  expect(output()).not.toMatch(/warn|error/i);
});

test('it lists its examples if the name is unknown', async () => {
  const { ended, output } = await demoOf('shops');
  expect(await ended).toEqual([1, null]);
  expect(output()).toBe(
    `There is no example 'shops'. The examples are ${Object.keys(examples).join(', ')}.\n`,
  );
});
