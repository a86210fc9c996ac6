/** `apikiln init --with login`: each variant passes `check` with its schema, and its tests pass on a server. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Workspace } from '../commands/workspace.js';
import { sharedMariadb } from '../helpers/shared-servers.js';

let space: Workspace;

beforeEach(() => {
  space = new Workspace();
});
afterEach(() => {
  space.remove();
});

/** The lines about failed tests. */
function failedIn(stdout: string): string[] {
  return stdout.split('\n').filter((line) => !/^✓|^\d+ tests passed|^$/.test(line));
}

const files = [
  '.env',
  '.gitignore',
  'README.md',
  'config.test.yaml',
  'config.yaml',
  'openapi.yaml',
  'schema.sql',
];

describe.each(['cookie', 'tokens'] as const)('sessions by %s', (sessions) => {
  test.each(['a', 'b'] as const)('in syntax %s: no diagnostics, and every test passes', async (syntax) => {
    const written = await space.run(
      'init',
      '.',
      '--with',
      'login',
      '--sessions',
      sessions,
      '--syntax',
      syntax,
    );
    expect(written.status).toBe(0);
    expect(Object.keys(space.files()).sort()).toEqual(files);
    expect(space.read('.env').match(/^\w+/gm)).toEqual([
      'APP_URL',
      'OUTBOX_KEY',
      ...(sessions === 'tokens' ? ['TOKEN_KEY'] : []),
    ]);
    expect(await space.run('check', '--schema', 'schema.sql')).toMatchObject({
      status: 0,
      stderr: 'config.yaml is fine.\n',
    });
    const { status, stdout } = await space.run('test');
    expect({ status, failed: failedIn(stdout) }).toEqual({ status: 0, failed: [] });
  });

  test.each(['a', 'b'] as const)('on MariaDB, in syntax %s', async (syntax) => {
    const server = await sharedMariadb();
    await space.run(
      ...[
        'init',
        '.',
        '--with',
        'login',
        '--sessions',
        sessions,
        '--syntax',
        syntax,
        '--database',
        'mariadb',
      ],
    );
    const { host, port, user, password } = server;
    const { status, stdout } = await space.run(
      'test',
      '--database',
      `mariadb://${user}:${password}@${host}:${port}/`,
    );
    expect({ status, failed: failedIn(stdout) }).toEqual({ status: 0, failed: [] });
  });
});

test('--sessions needs --with login', async () => {
  expect(await space.run('init', '.', '--sessions', 'tokens')).toMatchObject({
    status: 2,
    stderr: '--sessions is for --with login.\n',
  });
});
