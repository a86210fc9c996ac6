/** The examples of fields, shown in hints and in the editor, are valid YAML with the intended meaning. */
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { fieldTable } from '../../compiler/read/config/field-table.js';

/** Values that YAML has split at a comma or left empty. */
function broken(value: unknown): string[] {
  if (value === null) return ['nothing'];
  if (typeof value === 'string')
    return value.split('(').length === value.split(')').length && value !== '' ? [] : [value];
  if (Array.isArray(value)) return value.flatMap(broken);
  if (typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, one]) => (key === '…' ? [] : [...broken(key), ...broken(one)]));
}

describe('an example of a field', () => {
  const examples = Object.entries(fieldTable).flatMap(([kind, fields]) =>
    Object.entries(fields).map(([field, { example }]) => [kind, field, example] as const),
  );

  test.each(examples)('%s: %s', (_, field, example) => {
    expect(broken(parse(`${field}: ${example}`))).toEqual([]);
  });
});
