/** `apikiln token` finds the `dev` of a configuration through a private file, and uses no file of somebody else. */
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { contactPath, contactsOf } from '../../compiler/tools/commands/dev/dev-contact.js';
import { DevControl } from '../../compiler/tools/commands/dev/dev-control.js';
import { testTerminal } from '../helpers/test-terminal.js';
import { Workspace } from './workspace.js';

let space: Workspace;
let printed: string;
let ends: (() => Promise<void>)[] = [];
const before = process.env['TMPDIR'];

beforeEach(() => {
  space = new Workspace();
  printed = '';
  mkdirSync(space.path('tmp'));
  process.env['TMPDIR'] = space.path('tmp');
  space.write('config.yaml', '');
});
afterEach(async () => {
  for (const end of ends) await end();
  ends = [];
  if (before === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = before;
  space.remove();
});

/** The part of `dev` that is asked. */
async function control(text = 'a token', config = 'config.yaml'): Promise<() => Promise<void>> {
  const terminal = testTerminal(
    space.folder,
    (line) => {
      printed += line;
    },
    (line) => {
      printed += line;
    },
  );
  const opened = new DevControl(space.path(config), () => Promise.resolve({ text }), terminal);
  await opened.open();
  const end = (): Promise<void> => opened.close();
  ends.push(end);
  return end;
}

function path(): string {
  return contactPath(space.path('config.yaml'), process.pid) ?? '';
}

const notRunning = {
  status: 4,
  stdout: '',
  stderr: 'apikiln dev does not run for config.yaml. Start it in another terminal: apikiln dev\n',
};
const answered = { status: 0, stdout: 'a token\n', stderr: '' };
const strange = {
  status: 4,
  stdout: '',
  stderr: expect.stringMatching(
    / is not used: it is a link, or it belongs to another user or can be read by one\. Remove it\.\n$/,
  ) as string,
};

test('a running dev is found by any path of its configuration, and the last one answers', async () => {
  expect(await space.run('token', 'users')).toEqual(notRunning);
  const end = await control('first');
  symlinkSync(space.path('config.yaml'), space.path('link.yaml'));
  expect(await space.run('token', 'users', 'link.yaml')).toMatchObject({ stdout: 'first\n' });
  const endSecond = await control();
  expect(await space.run('token', 'users')).toEqual(answered);
  // The file of the second one stays.
  await end();
  expect(await space.run('token', 'users')).toEqual(answered);
  await endSecond();
  expect(await space.run('token', 'users')).toEqual(notRunning);
  expect(readdirSync(space.path('tmp'))).toEqual([]);
  expect(printed).toBe('');
});

test('the path in the message is that of the configuration', async () => {
  space.write('other.yaml', '');
  expect(await space.run('token', 'users', 'other.yaml')).toEqual({
    ...notRunning,
    stderr: 'apikiln dev does not run for other.yaml. Start it in another terminal: apikiln dev other.yaml\n',
  });
  expect(await space.run('token', 'users', 'missing.yaml')).toEqual({
    ...notRunning,
    stderr: 'missing.yaml cannot be read: there is no such file.\n',
  });
});

test.each([
  ['a process that has ended', { pid: 2 ** 22 + 1, started: 1, port: 9, secret: 's' }],
  ['a port without a server', { pid: process.pid, started: 1, port: 1, secret: 's' }],
  ['other content', { pid: 'a' }],
])('a stale file: %s', async (_, contact) => {
  await (
    await control()
  )();
  mkdirSync(dirname(path()), { mode: 0o700 });
  writeFileSync(path(), JSON.stringify(contact), { mode: 0o600 });
  expect(await space.run('token', 'users')).toEqual(notRunning);
  await control();
  expect(await space.run('token', 'users')).toEqual(answered);
});

test('another program on the port of a dev that has ended', async () => {
  await control();
  const [contact] = contactsOf(space.path('config.yaml'));
  const server = createServer((_, response) => response.writeHead(404).end('{}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  writeFileSync(path(), JSON.stringify({ ...contact, port }));
  expect(await space.run('token', 'users')).toEqual(notRunning);
  server.close();
});

test.each<[string, () => void]>([
  [
    'a link in place of the file',
    () => {
      renameSync(path(), space.path('moved'));
      symlinkSync(space.path('moved'), path());
    },
  ],
  [
    'a file with a second name',
    () => {
      linkSync(path(), space.path('second'));
    },
  ],
  [
    'a file that others can read',
    () => {
      chmodSync(path(), 0o644);
    },
  ],
  [
    'a folder that others can write',
    () => {
      chmodSync(dirname(path()), 0o777);
    },
  ],
  [
    'a link in place of the folder',
    () => {
      renameSync(dirname(path()), space.path('moved'));
      symlinkSync(space.path('moved'), dirname(path()));
    },
  ],
])('%s is refused, and dev does not replace it', async (_, change) => {
  await control();
  change();
  expect(await space.run('token', 'users')).toEqual(strange);
  expect(printed).toBe('');
  await control();
  expect(printed).toMatch(/^'apikiln token' cannot ask this dev\. \S+ is not used: /);
});

test.runIf(process.getuid?.() === 0).each(['file', 'folder'])(
  'the %s of another user is refused',
  async (what) => {
    await control();
    const changed = what === 'file' ? path() : dirname(path());
    chownSync(changed, 65_534, 65_534);
    expect(await space.run('token', 'users')).toEqual(strange);
    chownSync(changed, 0, 0);
    expect(await space.run('token', 'users')).toEqual(answered);
  },
);

test('options of another form', async () => {
  for (const [args, message] of [
    [['users', '--expires', 'soon'], 'It must be a time such as 30s, 10m, 2h or 7d.'],
    [['users', '--expires', '1y'], 'It must be a time such as 30s, 10m, 2h or 7d.'],
    [['users', '--claim', 'id'], '--claim id has no name. Write --claim name=value.'],
    [[], "missing required argument 'name'"],
  ] as const) {
    const { status, stderr } = await space.run('token', ...args);
    expect(status).toBe(2);
    expect(stderr).toContain(message);
  }
});
