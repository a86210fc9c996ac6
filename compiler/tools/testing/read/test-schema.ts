/** The JSON schema of test files, generated from the fields of the reader, with which editors check and complete YAML. */
import { requiredIn } from '../../../read/config/field-table.js';
import { definitionName, testFields, type TestField } from './test-fields.js';
import type { JsonMap } from '../../../read/json.js';

/** An identifier only; this URL is never fetched. */
const draft = 'http://json-schema.org/draft-07/schema#';

/** The JSON schema (draft-07). */
export function testJsonSchema(): JsonMap {
  const { 'a test file': file, ...others } = testFields;
  return {
    $schema: draft,
    title: 'apikiln tests',
    ...objectOf(file),
    // Keys defined by the user, for example to hold anchors.
    patternProperties: { '^x-': true },
    definitions: Object.fromEntries(
      Object.entries(others).map(([name, own]) => [definitionName(name), { title: name, ...objectOf(own) }]),
    ),
  };
}

function objectOf(fields: Readonly<Record<string, TestField>>): JsonMap {
  const all = Object.entries(fields);
  const required = requiredIn(fields);
  return {
    type: 'object',
    properties: Object.fromEntries(
      all.map(([name, { about, example, schema }]) => [
        name,
        { description: `${about}\n\nExample: ${example}`, ...schema },
      ]),
    ),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}
