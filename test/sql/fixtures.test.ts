/** Every entry of fixtures/sql: a SQL text, and the statement or the diagnostics that it becomes. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { outcome } from './reading.js';

interface Entry {
  readonly rule: string;
  readonly given: string;
  readonly sql: string;
  readonly gives: string;
}

const folder = new URL('../../fixtures/sql/', import.meta.url);

describe.each(readdirSync(folder))('fixtures/sql/%s', (file) => {
  const entries = parse(readFileSync(new URL(file, folder), 'utf8')) as Entry[];
  test.each(entries)('$rule: $given: $sql', ({ given, sql, gives }) => {
    expect(outcome(given, sql, file === 'mysql-values.yaml')).toBe(gives.trimEnd());
  });
});
