/**
 * The examples are the service fixtures with a README: their files exist, their tests pass and reach nearly everything, and `npm run demo`
 * lists them.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Workspace } from '../commands/workspace.js';
import { repository } from '../helpers/service-fixture.js';
import { sharedPostgres } from '../helpers/shared-servers.js';
import { examples as demonstrated } from '../tasks/examples.mjs';
import { fixtureFile, fixtureSpace, urlOf, verdicts } from './workspace-tests.js';

const services = join(repository, 'fixtures/services');
const fixtures = readdirSync(services).sort();
const examples = fixtures.filter((name) => existsSync(join(services, name, 'README.md')));
const tested = fixtures.filter((name) => existsSync(join(services, name, 'config.test.yaml')));

let space: Workspace | undefined;
let url: string;

beforeAll(async () => {
  const server = await sharedPostgres();
  await server.createDatabase('testing_examples');
  // Faster than an embedded PostgreSQL for each example.
  url = urlOf(server, 'testing_examples');
});

afterEach(() => {
  space?.remove();
  space = undefined;
});

test.each(tested)('the tests of %s pass', async (name) => {
  space = fixtureSpace(name);
  const options = examples.includes(name) ? ['--coverage-threshold', '90'] : [];
  const { status, stdout } = await space.run('test', '--workers', '1', '--database', url, ...options);
  expect(verdicts(stdout).filter((line) => !line.startsWith('✓'))).toEqual([]);
  expect(stdout).toMatch(/\d tests passed \(/);
  expect(status).toBe(0);
});

test('the demo runs every example, and no other', () => {
  expect(Object.keys(demonstrated).sort()).toEqual(examples);
});

test.each(examples)('%s has its files, and its commands to try call its operations', (name) => {
  const files = [
    'README.md',
    'config.test.yaml',
    'config.yaml',
    'expected',
    'requests.yaml',
    'schema.sql',
    'seed.sql',
  ];
  expect(readdirSync(join(services, name))).toEqual(expect.arrayContaining(files));
  const { operations } = parse(fixtureFile(name, 'config.yaml')) as { operations: Record<string, unknown> };
  const commands = demonstrated[name]?.('http://localhost', 'http://issuer') ?? [];
  const requests = commands.filter((command) => command.includes('http://localhost'));
  expect(requests).not.toEqual([]);
  const unknown = requests.filter((command) => {
    const method = /-X (\w+)/.exec(command)?.[1] ?? 'GET';
    const path = /http:\/\/localhost([^ ?']*)/.exec(command)?.[1] ?? '';
    return !Object.keys(operations).some((operation) => {
      const pattern = operation.replaceAll(/\{\w+\}/g, '[^/]+');
      return new RegExp(`^${pattern}$`).test(`${method} ${path}`);
    });
  });
  expect(unknown).toEqual([]);
});
