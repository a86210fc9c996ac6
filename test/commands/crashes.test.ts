/** A command whose process crashes in native code runs again, and reports an error if no attempt succeeds. */
import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { builtTool } from '../helpers/shared-servers.js';
import { Workspace } from './workspace.js';

const space = new Workspace();
let tool: string;

beforeAll(async () => {
  tool = await builtTool();
  const config = (status: number): string => `specification: '1.0'
operations:
  GET /a:
    responses: [{ name: ok, default: true, statuscode: ${status}, schema: { a: INTEGER(1) } }]
`;
  space.write('old.yaml', config(200));
  space.write('new.yaml', config(201));
});
afterAll(() => {
  space.remove();
});

/** Runs `diff` in Node; the first `crashes` worker processes are ended by the signal. */
function diff(
  crashes: number,
  signal = 'SIGSEGV',
): { status: number | null; stdout: string; stderr: string } {
  space.write('count', '0');
  const crash = `
    import fs from 'node:fs';
    const path = ${JSON.stringify(space.path('count'))};
    if (process.env.APIKILN_INSIDE !== undefined) {
      const count = Number(fs.readFileSync(path, 'utf8'));
      fs.writeFileSync(path, String(count + 1));
      if (count < ${crashes}) {
        process.kill(process.pid, '${signal}');
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10_000);
      }
    }`;
  space.write('crash.mjs', crash);
  const args = ['--import', space.path('crash.mjs'), tool, 'diff', 'old.yaml', 'new.yaml'];
  return spawnSync(process.execPath, args, { cwd: space.folder, encoding: 'utf8' });
}

test('it runs again, and what it prints comes once', () => {
  const whole = diff(0);
  expect([whole.status, space.read('count')]).toEqual([1, '1']);
  expect(whole.stdout).toContain('201');
  expect(diff(2)).toMatchObject({ status: 1, stdout: whole.stdout, stderr: whole.stderr });
  expect(space.read('count')).toBe('3');
});

test('after three crashes it is an error of Node.js', () => {
  const { status, stdout, stderr } = diff(9);
  expect([status, stdout, space.read('count')]).toEqual([5, '', '3']);
  expect(stderr).toContain('crashed (SIGSEGV) in each of 3 tries');
});

test('a signal of somebody ends it', () => {
  expect(diff(9, 'SIGTERM').status).toBe(143);
  expect(space.read('count')).toBe('1');
});
