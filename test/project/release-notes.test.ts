/** The notes of a release: the text of its version in CHANGELOG.md, and tags that the release workflow refuses. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { repository } from '../helpers/service-fixture.js';

const packages = ['package.json', 'runtime/package.json', 'compiler/tools/create/package.json'];
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'apikiln-notes-'));
  for (const name of ['release-notes.mjs', 'prepare.mjs']) copy(`test/tasks/${name}`);
  for (const path of packages) manifest(path, '0.1.0');
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function copy(path: string): void {
  write(path, '');
  copyFileSync(join(repository, path), join(folder, path));
}

function manifest(path: string, version: string, owner = 'example'): void {
  const repository = { url: `git+https://github.com/${owner}/apikiln.git` };
  write(path, JSON.stringify({ version, repository }));
}

/** The printed notes, or the reason of a refusal. */
function notes(tag: string, changelog: string): { readonly status: number | null; readonly text: string } {
  write('CHANGELOG.md', `# Changelog\n\nA text.\n\n## Unreleased\n\n${changelog}`);
  const script = join(folder, 'test/tasks/release-notes.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, tag], { encoding: 'utf8' });
  return { status, text: (stdout + stderr).trim() };
}

test.each([
  '## 0.1.0\n',
  '## 0.1.0 – 2026-11-30\n',
  '## 0.1.0-rc.1\n\n- other\n\n## 0.1.0\n',
  '## 0.1.01\n\n- other\n\n## 0.1.0\n',
])('are those of the exact version: %j', (heading) => {
  expect(notes('v0.1.0', `- later\n\n${heading}\n- new: \`$(id)\`\n\n## 0.0.9\n\n- old\n`)).toEqual({
    status: 0,
    text: '- new: `$(id)`',
  });
});

test.each([
  ['v0.1.1', '## 0.1.0\n\n- new\n', 'The tag is v0.1.1, and package.json has the version 0.1.0.'],
  ['v0.1.0', '- new\n', 'CHANGELOG.md has no text for 0.1.0.'],
  ['v0.1.0', '## 0.1.0\n\n## 0.0.9\n\n- old\n', 'CHANGELOG.md has no text for 0.1.0.'],
  ['v0.1.0', '## 0.1.0', 'CHANGELOG.md has no text for 0.1.0.'],
])('refuse %s with %j', (tag, changelog, message) => {
  expect(notes(tag, changelog)).toEqual({ status: 1, text: message });
});

test('refuse a pre-release, packages of different versions, and a missing owner', () => {
  manifest('runtime/package.json', '0.1.1');
  expect(notes('v0.1.0', '## 0.1.0\n\n- new\n').text).toContain('runtime/package.json has the version 0.1.1');
  for (const path of packages) manifest(path, '0.1.0-rc.1');
  expect(notes('v0.1.0-rc.1', '## 0.1.0-rc.1\n\n- new\n').text).toBe(
    'v0.1.0-rc.1 is a pre-release, which the workflow cannot publish.',
  );
  manifest('package.json', '0.1.0-rc.1', ['OW', 'NER'].join(''));
  expect(notes('v0.1.0-rc.1', '').text).toContain('package.json names no owner');
});
