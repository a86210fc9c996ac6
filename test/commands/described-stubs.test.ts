/** Stubs of tests and of `dev`, compared with the third party's description by `check` and `test`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { repository } from '../helpers/service-fixture.js';
import { Workspace } from './workspace.js';

const fixture = join(repository, 'fixtures/test-errors/undescribed-stub');
let space: Workspace;

beforeEach(() => {
  space = new Workspace();
  for (const name of ['config.yaml', 'api.yaml'])
    space.write(name, readFileSync(join(fixture, name), 'utf8'));
});

afterEach(() => {
  space.remove();
});

const stubs = `datasources:
  payments:
    - request: GET /v1/payments/1
      response: { body: { id: 1, amount: 3 } }
`;
const tests = `tests:
  - name: a payment of another type
    request: GET /orders/1
    datasources:
      payments:
        - request: GET /v1/payments/1
          response: { body: { id: one, status: payed } }
    response: { statuscode: 200, body: { id: one, status: payed } }
`;

test('check reports them at their place, and nothing else of these files', async () => {
  space.write('config.stubs.yaml', stubs);
  space.write('tests/orders.yaml', `${tests}  - name: without an action\n`);
  const { status, stdout } = await space.run('check', '--format', 'json');
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: { code: string; severity: string; file: string; line: number }[];
  };
  expect(diagnostics.map(({ code, severity, file, line }) => [severity, code, file, line])).toEqual([
    ['warning', 'undescribed-stub', 'tests/orders.yaml', 7],
    ['warning', 'undescribed-stub', 'config.stubs.yaml', 4],
    ['warning', 'undescribed-stub', 'config.stubs.yaml', 4],
  ]);
  expect(status).toBe(0);
  expect((await space.run('check', '--error', 'undescribed-stub')).status).toBe(1);
  const off = await space.run('check', '--off', 'undescribed-stub');
  expect(off.stderr).toBe('config.yaml is fine.\n');
});

test('a run of tests reports them, and goes on', async () => {
  space.write('config.test.yaml', tests);
  const { status, stderr, stdout } = await space.run('test');
  expect(stderr).toContain('config.test.yaml:7:48: warning');
  expect(stdout).toContain('1 test passed');
  expect(status).toBe(0);
  expect((await space.run('test', '--error', 'undescribed-stub')).status).toBe(1);
});
