/** The names that the owner fills in before the first version is published: the table of .github/PUBLISHING.md has every file with them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repository } from '../helpers/service-fixture.js';
import { filesBelow } from './sources.js';

/** The account on GitHub, and the address of reports. */
const name = /\bOWNER\/apikiln\b|@OWNER\b|\/OWNER\//;

const files = readdirSync(repository, { withFileTypes: true })
  .filter((entry) => !['node_modules', 'dist', '.git'].includes(entry.name))
  .flatMap((entry) => (entry.isDirectory() ? filesBelow(entry.name) : [entry.name]))
  .filter((path) => !/(?:^|\/)node_modules\/|^docs\/dist\/|\.(?:png|gz|tgz|jar)$/.test(path))
  // `npm run fixtures` writes these again.
  .filter((path) => !/^fixtures\/services\/[^/]+\/expected/.test(path));

test('the page lists every file with a name to fill in, and no other', () => {
  const page = readFileSync(join(repository, '.github/PUBLISHING.md'), 'utf8');
  const listed = [...page.matchAll(/^\| `([^`]+)` +\|/gm)].map(([, path = '']) => path);
  const found = files.filter((path) => name.test(readFileSync(join(repository, path), 'utf8')));
  expect(found.length).toBeGreaterThan(10);
  expect(listed.sort()).toEqual(found.sort());
});

test('the documents never ask users to install a name that is not registered', () => {
  const shown = files.filter(
    (path) =>
      /^(?:README\.md|docs\/.*\.md|templates\/.*\.md)$/.test(path) &&
      /^(?:npm (?:i|install|create)|npx --?\w+) (?:[^\n]* )?apikiln(?:@\S+)?$/m.test(
        readFileSync(join(repository, path), 'utf8'),
      ),
  );
  expect(shown).toEqual([]);
});
