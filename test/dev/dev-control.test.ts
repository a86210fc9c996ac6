/** The port of `dev` for `apikiln token`: opened as soon as the configuration exists, and found until its end. */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { contactPath, contactsOf } from '../../compiler/tools/commands/dev/dev-contact.js';
import { DevControl } from '../../compiler/tools/commands/dev/dev-control.js';
import type { Terminal } from '../../compiler/tools/commands/shared/output/terminal.js';

let folder: string;
let printed: string[];
const before = process.env['TMPDIR'];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dev-control-'));
  // The folder of the files.
  process.env['TMPDIR'] = join(folder, 'tmp');
  mkdirSync(join(folder, 'tmp'));
  printed = [];
});
afterEach(() => {
  if (before === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = before;
  rmSync(folder, { recursive: true });
});

function controlOf(config: string): DevControl {
  const terminal = { log: (line: string) => void printed.push(line) } as unknown as Terminal;
  return new DevControl(config, () => Promise.resolve({ text: 'a token' }), terminal);
}

test('a configuration that does not exist yet: the port opens when it does, once', async () => {
  const config = join(folder, 'config.yaml');
  const control = controlOf(config);
  await control.open();
  expect(contactPath(config, process.pid)).toBeUndefined();
  expect(contactsOf(config)).toEqual([]);

  writeFileSync(config, '');
  await control.open();
  const [contact] = contactsOf(config);
  expect(contact).toMatchObject({
    pid: process.pid,
    secret: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
  });
  await control.open();
  expect(contactsOf(config)).toEqual([contact]);
  await control.close();
  expect(contactsOf(config)).toEqual([]);
  expect(printed).toEqual([]);
});

test('a configuration that is replaced by a link is found by its new path', async () => {
  const [config, other] = [join(folder, 'config.yaml'), join(folder, 'other.yaml')];
  writeFileSync(config, '');
  const control = controlOf(config);
  await control.open();
  const [contact] = contactsOf(config);
  // The real path of the configuration changes.
  mkdirSync(join(folder, 'moved'));
  renameSync(config, join(folder, 'moved/config.yaml'));
  symlinkSync('moved/config.yaml', config);
  writeFileSync(other, '');
  await control.open();
  expect(contactsOf(join(folder, 'moved/config.yaml'))).toEqual([contact]);
  expect(contactsOf(other)).toEqual([]);
  await control.close();
  expect(contactsOf(config)).toEqual([]);
});

test('the files of processes that were killed are ignored, and removed by the next one', async () => {
  const config = join(folder, 'config.yaml');
  writeFileSync(config, '');
  const first = controlOf(config);
  await first.open();
  const path = contactPath(config, process.pid) ?? '';
  const [contact] = contactsOf(config);
  // No process has this id: it is larger than any system allows.
  const dead = contactPath(config, 99_999_999) ?? '';
  writeFileSync(dead, JSON.stringify({ ...contact, pid: 99_999_999 }), { mode: 0o600 });
  expect(contactsOf(config)).toEqual([contact]);
  expect(path).not.toBe(dead);
  await first.close();
  const second = controlOf(config);
  await second.open();
  expect(printed).toEqual([]);
  expect(existsSync(dead)).toBe(false);
  await second.close();
});
