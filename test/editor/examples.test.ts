/** The examples of fields, in hints and in the editor, are YAML that means what it shows. */
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { examplesOf, resourceFields } from '../../compiler/read/config/resource-fields.js';
import { fieldTable } from '../../compiler/tools/editor/field-table.js';

/** The values that YAML has split at a comma or left empty. */
function broken(value: unknown): string[] {
  if (value === null) return ['nothing'];
  if (typeof value === 'string')
    return value.split('(').length === value.split(')').length && value !== '' ? [] : [value];
  if (Array.isArray(value)) return value.flatMap(broken);
  if (typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, one]) => (key === '…' ? [] : [...broken(key), ...broken(one)]));
}

describe('an example of the editor', () => {
  const examples = Object.entries(fieldTable).flatMap(([kind, fields]) =>
    Object.entries(fields)
      .filter(([, { example }]) => example !== "''")
      .map(([field, { example }]) => [kind, field, example] as const),
  );

  test.each(examples)('%s: %s', (_, field, example) => {
    expect(broken(parse(`${field}: ${example}`))).toEqual([]);
  });
});

describe('an example of a hint', () => {
  const resources = Object.entries(resourceFields).map(([resource, fields]) => {
    return [`${resource.charAt(0).toUpperCase()}${resource.slice(1)}`, fields] as const;
  });

  test.each(resources)('%s', (resource, fields) => {
    const found = examplesOf(resource, fields).filter((example) => !example.includes(' or type: '));
    expect(found.flatMap((example) => broken(parse(example)))).toEqual([]);
  });
});
