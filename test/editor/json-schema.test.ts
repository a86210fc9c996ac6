/** The JSON schema of configurations: complete, accepts valid configurations, and rejects invalid ones. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  authenticationFields,
  datasourceFields,
  fulfillmentFields,
} from '../../compiler/read/config/meant-fields.js';
import { fieldTable, type FieldInfo } from '../../compiler/read/config/field-table.js';
import { functionDocs } from '../../compiler/tools/editor/function-docs.js';
import { includedJsonSchema, jsonSchema } from '../../compiler/tools/editor/json-schema.js';
import { functions } from '../../compiler/read/expression/functions.js';
import { repository } from '../helpers/service-fixture.js';

const ajv = new Ajv({ strict: true, strictRequired: false, allowUnionTypes: true, allErrors: true });
const isValid = ajv.compile(jsonSchema());
const isIncludedValid = ajv.compile(includedJsonSchema());

function problems(yaml: string): unknown[] {
  isValid(parse(yaml, { merge: true }));
  return (isValid.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ''}`);
}

const configurations = readdirSync(join(repository, 'fixtures'), {
  recursive: true,
  encoding: 'utf8',
}).filter(
  (path) => /^(?:services|explain|diff|audit)\/.*\.yaml$/.test(path) && /^specification:/m.test(textOf(path)),
);

function textOf(fixture: string): string {
  return readFileSync(join(repository, 'fixtures', fixture), 'utf8');
}

test('the fixtures hold configurations', () => {
  expect(configurations.length).toBeGreaterThan(30);
});

test.each(configurations)('the configuration of fixtures/%s is valid', (path) => {
  expect(problems(textOf(path))).toEqual([]);
});

test.each([
  ['apikiln.schema.json', jsonSchema],
  ['apikiln.included.schema.json', includedJsonSchema],
])('the file %s of the package is what the command prints', (name, schema) => {
  const file = readFileSync(join(repository, 'templates', name), 'utf8');
  expect(file).toBe(`${JSON.stringify(schema(), null, 2)}\n`);
});

test.each(configurations)('the operations of fixtures/%s are valid as an included file', (path) => {
  const { operations } = parse(textOf(path), { merge: true }) as { operations?: unknown };
  isIncludedValid(
    operations ?? { 'GET /none': { responses: [{ name: 'ok', default: true, statuscode: 200 }] } },
  );
  expect(isIncludedValid.errors ?? []).toEqual([]);
});

test('an included file has no sections of a configuration', () => {
  expect(isIncludedValid({ operations: { 'GET /news': {} } })).toBe(false);
  expect(isIncludedValid({})).toBe(false);
});

test('a configuration has operations, or includes them', () => {
  expect(problems('specification: "1.0"')).not.toEqual([]);
  expect(problems('{ specification: "1.0", include: [operations/*.yaml] }')).toEqual([]);
});

describe('the table of fields', () => {
  test.each([
    ['fulfillment', Object.values(fulfillmentFields).flatMap((types) => Object.values(types))],
    ['datasource', Object.values(datasourceFields)],
    ['authentication', Object.values(authenticationFields)],
  ] as const)('has those of all types of a %s', (kind, types) => {
    const known = new Set<string>(types.flat());
    expect(new Set(Object.keys(fieldTable[kind]))).toEqual(known);
  });

  test('the fields of each syntax are those of its fulfillments', () => {
    const inA = new Set<string>(Object.values(fulfillmentFields.A).flat());
    const inB = new Set<string>(Object.values(fulfillmentFields.B).flat());
    for (const [name, { syntax }] of Object.entries(fieldTable.fulfillment)) {
      const wanted = inA.has(name) && inB.has(name) ? undefined : inA.has(name) ? 'A' : 'B';
      expect(syntax, name).toBe(wanted);
    }
    expect(Object.keys(datasourceFields)).toEqual(fieldTable.datasource['type']?.words);
  });

  test('every field is described with an example', () => {
    const all: FieldInfo[] = Object.values(fieldTable).flatMap((fields) => Object.values(fields));
    for (const { about, example } of all) {
      expect(about).toMatch(/^[A-Z`].*\.$/s);
      expect(example).not.toBe('');
    }
  });

  test('so are the functions', () => {
    expect([...functionDocs.keys()].sort()).toEqual([...functions.keys()].sort());
  });
});

/** A valid configuration; each error changes a part of it. */
const right = `specification: "1.0"
operations:
  GET /news/{id}:
    fulfillments:
      - name: news
        type: READ
        datasource: newsdb
        instructions:
          - query: SELECT id FROM news WHERE id = :[PARAM(id)]
        exceptions:
          - if: SIZE(VALUE(news, $)) == INTEGER(0)
            statuscode: 404
            message: Not found
    responses:
      - name: ok
        default: true
        statuscode: 200
        schema: { id: 'VALUE(news, $.id)' }
datasources:
  newsdb: { type: db, url: 'jdbc:postgresql://localhost/news' }
`;

test('a right configuration is valid, and so are words in another letter case', () => {
  expect(problems(right)).toEqual([]);
  expect(problems(right.replace('READ', 'read').replace('type: db', 'type: DB'))).toEqual([]);
});

test.each([
  ['a misspelt field', 'datasource:', 'datasorce:'],
  ['a field that is missing', '        datasource: newsdb\n', ''],
  ['a field of another type', 'datasource: newsdb', 'datasource: newsdb\n        operationName: x'],
  ['an unknown type', 'type: READ', 'type: SELECT'],
  ['a status that there is not', 'statuscode: 404', 'statuscode: 4040'],
  ['a status that there is not, as a string', 'statuscode: 404', 'statuscode: "700"'],
  ['a status that is no number', 'statuscode: 200', 'statuscode: OK'],
  ['yes for true', 'default: true', 'default: yes'],
  ['a map for a list', '      - name: ok\n        default', '        name: ok\n        default'],
  [
    'an instruction with two actions',
    '- query: SELECT',
    '- request: { url: /, httpType: GET }\n            query: SELECT',
  ],
  [
    'both syntaxes in one fulfillment',
    'datasource: newsdb',
    'datasource: newsdb\n        queries: [{ query: SELECT 1 }]',
  ],
  ['an exception without a message', '            message: Not found\n', ''],
  ['a database without a URL', ", url: 'jdbc:postgresql://localhost/news'", ''],
  ['no version', 'specification: "1.0"\n', ''],
  ['a field of the file that there is not', 'datasources:', 'datasource:'],
])('%s is not valid', (_, part, instead) => {
  expect(right).toContain(part);
  expect(problems(right.replace(part, instead))).not.toEqual([]);
});
