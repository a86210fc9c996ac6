/** Every entry of fixtures/sql: SQL text, and the resulting statement or diagnostics. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readEntries, type Keys } from '../helpers/fixture-keys.js';
import { repository } from '../helpers/service-fixture.js';
import { outcome } from './reading.js';

interface Entry {
  readonly rule: string;
  readonly given: string;
  readonly sql: string;
  readonly gives: string;
}

const keys: Keys<Entry> = { rule: 'required', given: 'required', sql: 'required', gives: 'required' };
const folder = join(repository, 'fixtures/sql');

describe.each(readdirSync(folder))('fixtures/sql/%s', (file) => {
  test.each(readEntries<Entry>(join(folder, file), keys))('$rule: $given: $sql', ({ given, sql, gives }) => {
    expect(outcome(given, sql, file)).toBe(gives.trimEnd());
  });
});
