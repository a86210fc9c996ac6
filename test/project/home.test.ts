/** Tests do not read or write the user's home directory, because files of an earlier run would influence the results. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { DiskCache } from '../../compiler/analyze/database/disk-cache.js';

test('the home of a run is a folder of its own', () => {
  expect(homedir()).toBe(join(inject('sharedFolder'), 'home'));
});

test('what the compiler caches for its user is below it', () => {
  DiskCache.ofUser('home-test', process.env).write('found', 'yes');
  expect(existsSync(join(homedir(), '.cache/apikiln/home-test/found'))).toBe(true);
});
