/** The JSON schema of test files accepts valid files and rejects invalid ones. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { testJsonSchema } from '../../compiler/tools/testing/read/test-schema.js';
import { repository } from '../helpers/service-fixture.js';

const ajv = new Ajv({ strict: true, strictRequired: false, allowUnionTypes: true, allErrors: true });
const isValid = ajv.compile(testJsonSchema());

function problems(yaml: string): unknown[] {
  isValid(parse(yaml, { merge: true }));
  return (isValid.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ''}`);
}

const files = ['fixtures/services', 'templates'].flatMap((folder) =>
  readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('config.test.yaml'))
    .map((path) => join(folder, path)),
);

test('there are test files', () => {
  expect(files.length).toBeGreaterThan(3);
});

test.each(files)('%s is valid', (path) => {
  expect(problems(readFileSync(join(repository, path), 'utf8'))).toEqual([]);
});

test('the file of the package is what the command prints', () => {
  const file = readFileSync(join(repository, 'templates/apikiln.tests.schema.json'), 'utf8');
  expect(file).toBe(`${JSON.stringify(testJsonSchema(), null, 2)}\n`);
});

const right = `tests:
  - name: one
    request: GET /news/1
    query: { limit: 3, tag: [a, b] }
    datasources:
      bank: [{ request: GET /rates, times: 2, response: { statuscode: 503, fault: reset } }]
    response: { statuscode: 200, bodyIncludes: { id: <integer> } }
    rowsAfter: { news: [{ id: 1 }] }
    keep: { id: $.id }
`;

test('a right file is valid', () => {
  expect(problems(right)).toEqual([]);
});

test.each([
  ['a misspelt field', 'request: GET /news', 'reqest: GET /news'],
  ['a test without a name', 'name: one', 'seed: true'],
  ['no method', 'GET /news/1', '/news/1'],
  ['a status that there is not', 'statuscode: 200', 'statuscode: 2000'],
  ['an unknown fault', 'fault: reset', 'fault: broken'],
  ['a field of a response that there is not', 'bodyIncludes', 'includes'],
  ['a path that is none', '$.id', 'id'],
  ['rows that are no list', '[{ id: 1 }]', '3'],
  ['a field of the file that there is not', 'tests:', 'test:'],
])('%s is not valid', (_, part, instead) => {
  expect(right).toContain(part);
  expect(problems(right.replace(part, instead))).not.toEqual([]);
});
