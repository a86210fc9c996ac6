/**
 * The output of commands for hostile names, values, arguments and server messages, as the bytes written by a process in a GitHub workflow:
 * it never controls the terminal, and contains no workflow commands except those of `--format github`.
 */
import { spawn } from 'node:child_process';
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtTool } from '../helpers/shared-servers.js';
import { Workspace } from './workspace.js';

const hostile = 'x\u001b[2J\u001b]0;pwn\u0007\u009b31m\u202e\u200b\n::error::injected\r##[error]x';
/** The hostile text as a file name. */
const file = hostile.replaceAll('/', '_');

let program: string;
let space: Workspace;
/** A PostgreSQL server that refuses every connection with a hostile message. */
let server: Server;
let url: string;

beforeAll(async () => {
  program = await builtTool();
  space = new Workspace();
  server = createServer((socket) => {
    socket.once('data', () => {
      const fields = ['SFATAL', 'C28000', `M${hostile}`, `D${hostile}`, `H${hostile}`, ''];
      const body = Buffer.from(fields.map((field) => `${field}\0`).join(''));
      const head = Buffer.alloc(5);
      head.write('E');
      head.writeInt32BE(body.length + 4, 1);
      socket.end(Buffer.concat([head, body]));
    });
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  url = `postgres://me:hunter2@127.0.0.1:${port}/shop?sslmode=disable`;
  const jdbc = `jdbc:postgresql://127.0.0.1:${port}/shop?sslmode=disable`;
  space.write('config.yaml', configOf(jdbc));
  space.write(
    'config.test.yaml',
    JSON.stringify({
      tests: [
        { name: hostile, request: 'GET /x', response: { statuscode: 200, body: { text: hostile } } },
        {
          name: `${hostile}2`,
          request: 'GET /x',
          response: { statuscode: 404, body: { [hostile]: hostile } },
        },
      ],
    }),
  );
  space.write('.env', `DB_USER="${hostile.replaceAll('\n', '\\n')}"\n${hostile}\nA B=c\n`);
  space.write(`${file}.yaml`, 'a: [');
  space.write('broken/config.yaml', `specification: "1.0"\n"${JSON.stringify(hostile).slice(1, -1)}": 1\n`);
  space.write(
    'broken.json',
    JSON.stringify({ openapi: '3.1.0', paths: { [`/${hostile}`]: { get: { [hostile]: 1 } } } }),
  );
});

afterAll(() => {
  server.close();
  space.remove();
});

function configOf(jdbc: string): string {
  return JSON.stringify({
    specification: '1.0',
    operations: {
      'GET /x': {
        responses: [
          { name: 'ok', default: true, statuscode: 200, schema: { text: `TEXT(${JSON.stringify('a')})` } },
        ],
      },
      [`job ${hostile}`]: {
        triggers: [{ name: hostile, cron: '0 0 3 * * *' }],
        fulfillments: [
          {
            name: 'n',
            type: 'UPDATE',
            datasource: hostile,
            instructions: [{ query: 'UPDATE t SET a = 1 WHERE b = 2' }],
          },
        ],
        responses: [{ name: hostile, default: true, statuscode: 200 }],
      },
    },
    datasources: { [hostile]: { type: 'db', url: jdbc, user: 'a', password: 'b' } },
  });
}

interface Printed {
  readonly status: number | null;
  readonly text: string;
}

function run(args: readonly string[], input = ''): Promise<Printed> {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [program, ...args], {
    cwd: space.folder,
    env: { PATH, HOME, GITHUB_ACTIONS: 'true', CI: 'true' },
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  // These commands run until they are stopped.
  if (['dev', 'serve'].includes(args[0] ?? ''))
    for (const stream of [child.stdout, child.stderr])
      stream.once('data', () => setTimeout(() => child.kill('SIGTERM'), 500));
  child.stdin.on('error', () => undefined).end(input);
  return new Promise((resolve) =>
    child.once('close', (status) => {
      resolve({ status, text });
    }),
  );
}

function expectSafe(text: string): void {
  expect(text).not.toMatch(/(?![\n\t])\p{Cc}|[\p{Cf}\p{Zl}\p{Zp}]/u);
  expect(text).not.toMatch(/^\s*::/m);
  expect(text).not.toContain('##[');
}

describe.each<[string, () => readonly (readonly string[])[]]>([
  [
    'arguments',
    () => [
      [hostile],
      [`--${hostile}`],
      ['check', `--${hostile}`],
      ['check', '--format', hostile],
      ['build', '--target', hostile],
    ],
  ],
  [
    'help',
    () => [
      ['help', hostile],
      ['help', 'chekc'],
      ['explain', hostile],
      ['explain', '--config', 'config.yaml', hostile],
    ],
  ],
  [
    'missing files',
    () => [
      ['check', file],
      ['build', file],
      ['test', file],
      ['serve', file],
      ['dev', file],
      ['audit', file],
      ['openapi', file],
      ['diff', file, file],
      ['check', '--schema', file],
      ['test', '--tests', file],
      ['init', 'new', '--from-openapi', file],
      ['doctor', file],
    ],
  ],
  [
    'files that cannot be read',
    () => [
      ['check', `${file}.yaml`],
      ['dev', `${file}.yaml`],
      ['serve', `${file}.yaml`],
      ['check', 'broken'],
      ['build', 'broken'],
      ['init', 'new', '--from-openapi', 'broken.json'],
    ],
  ],
  [
    'names',
    () => [
      ['check', '--no-schema'],
      ['explain'],
      ['audit'],
      ['build', '--no-schema', '--out', 'service'],
      ['diff', 'broken', '.'],
      ['diff', '.', '.'],
      ['openapi'],
      ['test', '--no-schema'],
      ['test', '--no-schema', '--format', 'json'],
      ['test', '--no-schema', '--format', 'junit'],
      ['test', '--no-schema', '--filter', `${hostile}?`],
    ],
  ],
  [
    'messages of servers',
    () => [
      ['check', '--database', url],
      ['doctor', '--no-schema'],
      ['doctor'],
      ['doctor', '--format', 'json'],
      ['init', 'new', '--from-database', url],
      ['serve', '--no-schema', '--port', '0'],
    ],
  ],
  [
    'shells and folders',
    () => [
      ['completion', hostile],
      ['init', file],
      ['init', file],
      ['schema', hostile],
      ['init', 'other', '--database', hostile],
    ],
  ],
])('%s', (_, commands) => {
  test('steer neither the terminal nor the workflow', async () => {
    for (const args of commands()) {
      const { status, text } = await run(args);
      expect(status, `${JSON.stringify(args)}\n${text}`).not.toBe(5);
      expectSafe(text);
    }
  });
});

test('nor does what somebody types', async () => {
  const { status, text } = await run(['hash'], `${hostile}\n`);
  expect(status).not.toBe(5);
  expectSafe(text);
});
