/** The output of `apikiln test` for a failed test does not contain random strings, passwords and hashes of the calls. */
import { readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { MaskedOutput } from '../../compiler/tools/testing/masked-output.js';
import type { Workspace } from '../commands/workspace.js';
import { sharedPostgres } from '../helpers/shared-servers.js';
import { fixtureSpace, urlOf } from './workspace-tests.js';

let space: Workspace | undefined;

afterEach(() => {
  space?.remove();
  space = undefined;
});

const password = 'correct horse "battery"';

const failing = `tests:
  - name: the wrong expectations
    randoms: [fixed-for-the-session]
    steps:
      - request: POST /accounts
        body: { id: 7, email: ada@example.org, password: '${password}' }
      - request: POST /tokens
        body: { email: ada@example.org, password: '${password}' }
        response:
          statuscode: 201
          header: { X-Other: a }
          body: { token: tk_other, length: 66, isOutdated: false }
        rowsAfter:
          SELECT hash FROM account WHERE id = 7: [{ hash: '${password}' }]
`;

test('of a service with accounts', async () => {
  space = fixtureSpace('accounts');
  space.write('config.test.yaml', failing);
  const server = await sharedPostgres();
  await server.createDatabase('testing_masked');
  const run = ['test', '--database', urlOf(server, 'testing_masked')] as const;
  const { status, stdout } = await space.run(...run);
  expect(status).toBe(1);
  expect(stdout).toContain('$.token: expected "tk_other", but it is "***"');
  expect(stdout).toContain('$.length: expected 66, but it is 24');
  expect(stdout).toContain('.hash: expected "***", but it is "***"');
  expect(stdout).not.toMatch(/fixed-for|scrypt\$|battery/);

  await space.run(...run, '--update');
  const updated = readFileSync(space.path('config.test.yaml'), 'utf8');
  expect(updated).toBe(failing.replace('length: 66', 'length: 24'));
});

test('a secret that the end of a shortened value cuts, and secrets in other notations', () => {
  const masked = new MaskedOutput(['abcdefghijklmnop', 'a "quoted" secret', 'tiny']);
  expect(masked.text('it is "xabcdefghij…')).toBe('it is "x***…');
  expect(masked.text('it is "abcdefghijklmnop", and "a \\"quoted\\" secret"')).toBe('it is "***", and "***"');
  expect(masked.text('/a%20%22quoted%22%20secret')).toBe('/***');
  // A word of four characters is part of many others.
  expect(masked.text('tiny abcd…')).toBe('tiny abcd…');
});
