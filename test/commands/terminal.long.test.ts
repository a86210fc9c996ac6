/** Colours and the progress line on terminals, in pipes, and as set by the environment. */
import { execFileSync, spawn } from 'node:child_process';
import { createServer, type Server } from 'node:net';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { wantsColours } from '../../compiler/tools/commands/shared/output/terminal.js';
import { builtTool } from '../helpers/shared-servers.js';
import { configuration, Workspace, wrongConfiguration } from './workspace.js';

const escape = String.fromCharCode(27);
let program: string;

beforeAll(async () => {
  program = await builtTool();
});

describe('colours', () => {
  test.each<[string, readonly string[], Record<string, string>, boolean, boolean]>([
    ['a terminal', [], {}, true, true],
    ['a pipe', [], {}, false, false],
    ['a dumb terminal', [], { TERM: 'dumb' }, true, false],
    ['--no-color', ['check', '--no-color'], { FORCE_COLOR: '1' }, true, false],
    ['NO_COLOR', [], { NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
    ['an empty NO_COLOR', [], { NO_COLOR: '' }, true, true],
    ['FORCE_COLOR in a pipe', [], { FORCE_COLOR: '1' }, false, true],
    ['FORCE_COLOR=0', [], { FORCE_COLOR: '0' }, true, false],
    ['CI, whose logs are no terminal', [], { CI: 'true' }, false, false],
  ])('%s', (_, args, environment, isTerminal, expected) => {
    expect(wantsColours(args, environment, isTerminal)).toBe(expected);
  });
});

let space: Workspace;
let server: Server | undefined;

beforeEach(() => {
  space = new Workspace();
});
afterEach(() => {
  server?.close();
  space.remove();
});

/** The output of the command on a terminal, from both streams. */
function onTerminal(args: readonly string[], environment: Readonly<Record<string, string>>): Promise<string> {
  const command = [process.execPath, program, ...args].map((word) => `'${word}'`).join(' ');
  const { PATH, HOME } = process.env;
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: space.folder,
    env: { PATH, HOME, TERM: 'xterm', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  return new Promise((resolve) =>
    child.once('close', () => {
      resolve(text);
    }),
  );
}

test('a real terminal has colours unless NO_COLOR is set; a pipe has them with FORCE_COLOR', async () => {
  space.write('config.yaml', wrongConfiguration);
  const shown = await onTerminal(['check'], {});
  expect(shown).toContain('Unknown fulfillment');
  expect(shown).toContain(`${escape}[31m`);
  expect(await onTerminal(['check'], { NO_COLOR: '1' })).not.toContain(escape);
  const run = (environment: Readonly<Record<string, string>>): string => {
    const { PATH, HOME } = process.env;
    const command = `"$@" check 2>&1 || true`;
    return execFileSync('sh', ['-c', command, 'sh', process.execPath, program], {
      cwd: space.folder,
      env: { PATH, HOME, ...environment },
      encoding: 'utf8',
    });
  };
  expect(run({ CI: 'true' })).not.toContain(escape);
  expect(run({ FORCE_COLOR: '1' })).toContain(`${escape}[31m`);
});

test('long work is shown on a terminal and not in CI, and is removed afterwards', async () => {
  // Accepts connections, but sends nothing.
  const silent = createServer(() => undefined);
  server = silent;
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const address = silent.address();
  const port = address === null || typeof address === 'string' ? 0 : address.port;
  space.write('config.yaml', configuration('GET /a'));
  const args = [
    'check',
    '--database',
    `postgresql://me:hunter2@127.0.0.1:${port}/news?connectTimeout=3&sslmode=disable`,
  ];
  const shown = await onTerminal(args, {});
  expect(shown).toContain(`\r${escape}[2KChecking config.yaml (1 s)`);
  // The line is finally erased before the output.
  const rest = shown.slice(shown.lastIndexOf('Checking config.yaml ('));
  expect(rest).toContain(`\r${escape}[2K`);
  expect(rest.slice(rest.lastIndexOf(`${escape}[2K`))).toContain('127.0.0.1');
  expect(await onTerminal(args, { CI: 'true' })).not.toContain('Checking config.yaml');
});
