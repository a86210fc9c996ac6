/** Enums and defaults with their declared types: a value that YAML parses as a number may be meant as a string. */
import { expect, test } from 'vitest';
import { Report } from '../../compiler/read/diagnostics/report.js';
import { readDescription } from '../../compiler/read/openapi/read-description.js';

/** The schema of a parameter, and the codes of the diagnostics for it. */
function read(schema: string) {
  const report = new Report();
  const text = schema.startsWith('{"')
    ? `{"openapi": "3.0.3", "info": {}, "paths": {"/a": {"get": {"parameters": [{"name": "p", "in": "query", "schema": ${schema}}]}}}}`
    : `openapi: 3.0.3\npaths: {/a: {get: {parameters: [{name: p, in: query, schema: ${schema}}]}}}\n`;
  const description = readDescription(
    { source: { path: 'openapi.yaml', text }, read: () => undefined },
    report,
  );
  const found = description?.endpoints[0]?.parameters[0]?.schema;
  return {
    values: found?.enum,
    standard: found?.default,
    codes: report.diagnostics.map(({ code }) => code),
  };
}

test.each([
  ['{type: string, enum: [1, 1.10, 0x10, true, a]}', ['1', '1.10', '0x10', 'true', 'a']],
  ['{type: string, const: 1.0}', ['1.0']],
  ['{type: [string, integer], enum: [1, 1.5]}', [1, '1.5']],
  ['{type: integer, enum: [1, 2]}', [1, 2]],
  ['{type: number, enum: [1, 2.5]}', [1, 2.5]],
  ['{enum: [1, a, true]}', [1, 'a', true]],
  ['{type: string, nullable: true, enum: [a, null]}', ['a', null]],
])('%s takes the texts as they are written', (schema, values) => {
  expect(read(schema)).toEqual({ values, standard: undefined, codes: [] });
});

test.each([
  ['{"type": "string", "enum": [1, 2]}', [1, 2]],
  ['{type: integer, enum: ["1", "2"]}', ['1', '2']],
  ['{type: string, enum: [a, null]}', ['a', null]],
  ['{type: boolean, const: yes}', ['yes']],
])('%s has values that nothing can be', (schema, values) => {
  expect(read(schema)).toEqual({ values, standard: undefined, codes: ['value-of-other-type'] });
});

test.each([
  ['{type: integer, default: 20}', 20, []],
  ['{type: string, default: 1.10}', '1.10', []],
  ['{type: string, default: null}', null, []],
  ['{type: integer, default: "20"}', 20, ['wrong-default']],
  ['{type: integer, default: "12345678901234567890"}', '12345678901234567890', ['wrong-default']],
  ['{type: number, default: "1.5"}', 1.5, ['wrong-default']],
  ['{type: boolean, default: "true"}', true, ['wrong-default']],
  ['{"type": "string", "default": 20}', '20', ['wrong-default']],
  ['{type: integer, default: 1.5}', undefined, ['wrong-default']],
  ['{type: boolean, default: yes}', undefined, ['wrong-default']],
  ['{type: string, default: {a: 1}}', undefined, ['wrong-default']],
  ['{type: integer, maximum: 10, default: 11}', 11, ['wrong-default']],
])('%s', (schema, standard, codes) => {
  expect(read(schema)).toEqual({ values: undefined, standard, codes });
});
