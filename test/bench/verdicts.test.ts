/** Comparisons and verdicts of the benchmarks: differing responses are detected, and the table in the README agrees with its figures. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { repository } from '../helpers/service-fixture.js';
import { compareBodies, type RespondingServer } from './compare-bodies.js';
import { atLeast, atMost, verdictOf, type Part, type Target } from './row.js';

const servers: { close: () => void }[] = [];

afterAll(() => {
  for (const server of servers) server.close();
});

async function responding(name: string, status: number, text: string): Promise<RespondingServer> {
  const server = createServer((request, response) => {
    response.writeHead(status).end(`${request.method ?? ''} ${text}`);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { name, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe('responses of all servers', () => {
  test.each([
    ['another body', 200, '[2]'],
    ['another status', 201, '[1]'],
    ['one byte more', 200, '[1] '],
  ])('%s is an error that names both', async (_, status, text) => {
    const first = await responding('first', 200, '[1]');
    const same = await responding('same', 200, '[1]');
    const other = await responding('other', status, text);
    await expect(compareBodies([first, same], ['/a'])).resolves.toBeUndefined();
    await expect(compareBodies([first, same, other], ['/a'])).rejects.toThrow(
      'first and other respond to /a differently',
    );
    await expect(compareBodies([first, same, other], ['/a'], '{}')).rejects.toThrow('POST');
  });
});

describe('a row', () => {
  const row = (target: Target, figures: readonly number[], failures = 0) => ({
    ...{ job: 'pg', goal: 'a', target, figures },
    parts: [{ name: 'ours', seen: '', failures }] satisfies Part[],
  });

  test.each([
    [atLeast(2), [1, 2, 3], 0, 'met'],
    [atLeast(2), [1, 1.99, 3], 0, 'missed'],
    [atMost(2), [1, 2, 3], 0, 'met'],
    [atMost(2), [1, 2.01, 3], 0, 'missed'],
    [atLeast(2), [9, 9, 9], 1, 'invalid'],
    [atLeast(2), [], 0, 'not measured'],
  ] as const)('%j with %j and %i failures is %s', (target, figures, failures, verdict) => {
    expect(verdictOf(row(target, figures, failures))).toBe(verdict);
  });
});

describe('the table of the page', () => {
  const page = readFileSync(join(repository, 'test/bench/README.md'), 'utf8');
  const rows = [
    ...page.matchAll(/^\| ([^|]+) \| ([≥≤]) ([\d.]+) (×|s|MiB) \| ([\d.]+) \4 \| [^|]*\| (\w+) \|/gm),
  ];

  test('has rows', () => {
    expect(rows.length).toBe([...page.matchAll(/^\| [^|]+ \| [≥≤]/gm)].length);
    expect(rows.length).toBeGreaterThan(5);
  });

  test.each(
    rows.map(([, goal, sign, target, , measured, verdict]) => ({ goal, sign, target, measured, verdict })),
  )('$goal', ({ sign, target, measured, verdict }) => {
    expect(['met', 'missed', 'invalid']).toContain(verdict);
    if (verdict === 'invalid') return;
    const isMet = sign === '≥' ? Number(measured) >= Number(target) : Number(measured) <= Number(target);
    expect(verdict).toBe(isMet ? 'met' : 'missed');
  });
});
