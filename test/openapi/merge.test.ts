/** The errors that `openapi --merge` adds to the descriptions of the fixtures. */
import { describe, expect, test } from 'vitest';
import { mergeResponses } from '../../compiler/analyze/describe/merge-responses.js';
import {
  missingResponses,
  type MissingResponses,
} from '../../compiler/analyze/describe/missing-responses.js';
import { checkSource } from '../../compiler/compile.js';
import { valueIn, withAdditions } from '../../compiler/read/config/yaml/yaml-append.js';
import type { Source } from '../../compiler/read/source.js';
import { inputOf, serviceFixtures, type ServiceFixture } from '../helpers/service-fixture.js';

const described = serviceFixtures().filter(({ description }) => description !== undefined);

function missingWith(fixture: ServiceFixture, source: Source) {
  const { description } = fixture;
  if (description === undefined) throw new Error('The fixture has no description.');
  const { analysis, diagnostics } = checkSource({
    ...inputOf(fixture),
    description: { ...description, source },
  });
  if (analysis === undefined) throw new Error('The configuration cannot be read.');
  return {
    missing: missingResponses(analysis),
    config: analysis.config,
    codes: diagnostics.map(({ code }) => code),
  };
}

const namesOf = (missing: readonly MissingResponses[]): string[] =>
  missing.map(({ operation }) => operation.name.value);

describe.each(described.map((fixture) => ({ id: `${fixture.name}-${fixture.database}`, fixture })))(
  '$id',
  ({ fixture }) => {
    test('everything is added, every character stays, and check reports the same', () => {
      const { source } = fixture.description ?? { source: { path: '', text: '' } };
      const { missing, config, codes } = missingWith(fixture, source);
      const { text, elsewhere } = mergeResponses(source.text, missing, config);
      for (const { endpoint } of elsewhere) expect(endpoint.span.source.path).not.toBe(source.path);
      if (text === undefined) {
        expect(source.text).toMatch(/: \*\w/);
        return;
      }
      let from = 0;
      for (const character of source.text) {
        from = text.indexOf(character, from) + 1;
        expect(from).toBeGreaterThan(0);
      }
      const after = missingWith(fixture, { ...source, text });
      expect(namesOf(after.missing)).toEqual(namesOf(elsewhere));
      expect(after.codes).toEqual(codes);
    });
  },
);

test('a body that is described is validated, and so refused, also where the operation does not read it', () => {
  const fixture = described.find(({ name }) => name === 'described');
  if (fixture?.description === undefined) throw new Error('There is no such fixture.');
  const { missing } = missingWith(fixture, fixture.description.source);
  const photos = missing.find(({ operation }) => operation.name.value === 'POST /articles/{id}/photos');
  expect(Object.keys(photos?.responses ?? {})).toEqual(['400', '413', '415', '500', '503', '504']);
});

test('errors of a form of their own are nullable in OpenAPI 3.0, and any value where they have several types', () => {
  const config = `specification: "1.0"
operations:
  GET /a:
    responses: [{ name: ok, default: true, statuscode: 200, schema: { a: PARAM(a) } }]
settings:
  errors:
    - schema: { code: "ERROR($.code)", title: "ERROR($.title)", first: "COALESCE(ERROR($.code), ERROR($.status))" }
`;
  const text = `openapi: 3.0.3
info: { title: A, version: "1" }
paths:
  /a:
    get:
      parameters: [{ name: a, in: query, schema: { type: integer } }]
      responses: { 200: { description: OK } }
`;
  const { analysis } = checkSource({
    config: { path: 'config.yaml', text: config },
    description: { source: { path: 'openapi.yaml', text }, read: () => undefined },
  });
  if (analysis === undefined) throw new Error('The configuration cannot be read.');
  const merged = mergeResponses(text, missingResponses(analysis), analysis.config);
  const description = valueIn(merged.text ?? '') as { components: { schemas: { Error: unknown } } };
  expect(description.components.schemas.Error).toEqual({
    type: 'object',
    required: ['code', 'title', 'first'],
    properties: { code: { type: 'string', nullable: true }, title: { type: 'string' }, first: {} },
  });
});

test.each([
  ['a: {}\n', 'a: { "c": 2}\n'],
  ['a: {b: 1} # text', 'a: {b: 1, "c": 2} # text'],
  ['a:\n  b: 1', 'a:\n  b: 1\n  c: 2'],
  ['a:\r\n  b: 1 # text\r\n', 'a:\r\n  b: 1 # text\r\n  c: 2\r\n'],
  ['a:\n  b:\nd: 3\n', 'a:\n  b:\n  c: 2\nd: 3\n'],
  ['a:\n  b: |\n    text\nd: 3\n', 'a:\n  b: |\n    text\n  c: 2\nd: 3\n'],
  ['a:\n  b: |\n    text\n', 'a:\n  b: |\n    text\n  c: 2\n'],
  ['a:\n  b: >-\n    text', 'a:\n  b: >-\n    text\n  c: 2'],
  ['a: &a { b: 1 }\nd: *a\n', undefined],
  ['a: [\n', undefined],
  ['- a\n', undefined],
])('an entry is added to %j', (text, expected) => {
  expect(withAdditions(text, [{ path: ['a'], key: 'c', value: 2 }])).toBe(expected);
});

test('a text with errors has no value', () => {
  expect([valueIn('a: ['), valueIn('a: 1')]).toEqual([undefined, { a: 1 }]);
});
