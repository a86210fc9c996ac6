/**
 * Generated example values are checked with ajv: otherwise a service started from a description would be tested with values that it
 * rejects.
 */
import { createRequire } from 'node:module';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exampleValue, type ExampleKind } from '../../compiler/tools/init/example-value.js';
import { runs } from '../helpers/runs.js';
import { schemaOf } from './schema-of.js';

// Ajv is a CommonJS module, and its types do not match the imported value.
const require = createRequire(import.meta.url);
const { Ajv2020: Ajv } = require('ajv/dist/2020.js') as { Ajv2020: typeof Ajv2020 };
const ajv = new Ajv({ strict: false, logger: false, validateFormats: false });

const kinds: readonly ExampleKind[] = ['sent', 'returned'];

test.each<[object, unknown, unknown]>([
  [{ type: 'string' }, 'text', 'text'],
  [{ type: 'string', maxLength: 2 }, 'te', 'te'],
  [{ type: 'string', minLength: 6 }, 'textxx', 'textxx'],
  [{ type: 'string', minLength: 3, maxLength: 2 }, undefined, undefined],
  [{ type: 'string', format: 'date' }, '2026-01-31', '2026-01-31'],
  [{ type: 'string', format: 'date', maxLength: 4 }, undefined, undefined],
  [{ type: 'string', pattern: '^a' }, undefined, undefined],
  [{ type: 'integer' }, 7, 1],
  [{ type: 'integer', minimum: 3, maximum: 3 }, 3, 3],
  [{ type: 'integer', exclusiveMinimum: 8 }, 9, 9],
  [{ type: 'integer', minimum: 8, multipleOf: 5 }, 10, 10],
  [{ type: 'integer', maximum: -3 }, -3, -3],
  [{ type: 'integer', exclusiveMinimum: 3, exclusiveMaximum: 4 }, undefined, undefined],
  [{ type: 'number', exclusiveMinimum: 3, exclusiveMaximum: 4 }, 3.5, 3.5],
  [{ type: 'number', multipleOf: 0.1 }, 0, 0],
  [{ allOf: [{ type: 'number' }, { minimum: 20 }] }, 20, 20],
  [{ type: 'boolean' }, true, false],
  [{ type: 'array', items: { type: 'string' } }, ['text'], []],
  [{ type: 'array', items: { type: 'string' }, minItems: 2 }, ['text', 'text'], ['text', 'text']],
  [{ type: 'array', items: { type: 'string' }, minItems: 2, uniqueItems: true }, undefined, undefined],
  [{ type: 'array', minItems: 1 }, undefined, undefined],
  [{ not: { type: 'string' } }, undefined, undefined],
  [
    {
      anyOf: ['a', 'b'].map((kind) => ({
        type: 'object',
        properties: { kind: { enum: [kind] }, n: { type: 'integer' } },
      })),
      discriminator: { propertyName: 'kind' },
    },
    { kind: 'a', n: 1 },
    { kind: 'a' },
  ],
  [{ enum: ['a', 'b'] }, 'a', 'a'],
  [{ oneOf: [{ type: 'string' }, { type: 'boolean' }] }, undefined, 'text'],
  [{ anyOf: [{ type: 'string' }, { type: 'boolean' }] }, 'text', 'text'],
  [{}, {}, {}],
  [{ type: ['null'] }, null, null],
  [{ type: 'object', required: ['a'] }, undefined, undefined],
  [{ type: ['object', 'null'], required: ['a'] }, null, null],
  [{ type: 'object', minProperties: 1 }, undefined, undefined],
  [{ allOf: [{ properties: { a: { type: 'string' } } }, { required: ['a'] }] }, { a: 'text' }, { a: 'text' }],
])('%j', (schema, sent, returned) => {
  expect(kinds.map((kind) => madeUp(schema, kind))).toEqual([sent, returned]);
  for (const value of [sent, returned])
    if (value !== undefined) expect(ajv.validate(schema, value)).toBe(true);
});

test('a model that holds itself ends', () => {
  const self = { $ref: '#/components/schemas/Made' };
  expect(madeUp({ type: 'object', required: ['next'], properties: { next: self } }, 'sent')).toBeUndefined();
  expect(
    madeUp({ anyOf: [{ type: 'object', required: ['a'], properties: { a: self } }] }, 'sent'),
  ).toBeUndefined();
  expect(madeUp({ anyOf: [self] }, 'returned')).toBeUndefined();
  expect(madeUp({ type: 'string', allOf: [self] }, 'returned')).toBe('text');
});

const length = fc.option(fc.nat(9), { nil: undefined });
const limit = fc.option(fc.integer({ min: -9, max: 9 }), { nil: undefined });
const { schema } = fc.letrec<{ schema: object }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small' },
    fc.record({ type: fc.constant('string'), minLength: length, maxLength: length }),
    fc.record({
      type: fc.constantFrom('integer', 'number'),
      minimum: limit,
      maximum: limit,
      exclusiveMinimum: limit,
      exclusiveMaximum: limit,
      multipleOf: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
    }),
    fc.constant({ type: 'boolean' }),
    fc.record({
      type: fc.constant('array'),
      items: tie('schema'),
      minItems: fc.option(fc.nat(3), { nil: undefined }),
      maxItems: fc.option(fc.nat(3), { nil: undefined }),
      uniqueItems: fc.boolean(),
    }),
    fc.record({
      type: fc.constant('object'),
      properties: fc.record({ a: tie('schema'), b: tie('schema') }),
      required: fc.uniqueArray(fc.constantFrom('a', 'b', 'c')),
      minProperties: fc.option(fc.nat(3), { nil: undefined }),
      maxProperties: fc.option(fc.nat(3), { nil: undefined }),
    }),
    fc.record({
      type: fc.constant('number'),
      allOf: fc.array(fc.record({ minimum: limit, maximum: limit }), { minLength: 1, maxLength: 2 }),
    }),
  ),
}));

test('what is made up is accepted', () => {
  let made = 0;
  fc.assert(
    fc.property(schema, fc.constantFrom(...kinds), (written, kind) => {
      const value = madeUp(written, kind);
      if (value === undefined) return;
      made += 1;
      expect(ajv.validate(JSON.parse(JSON.stringify(written)) as object, value)).toBe(true);
    }),
    { numRuns: runs(75, 5000) },
  );
  // About 38 of 75 are expected, with a standard deviation of 4.
  expect(made).toBeGreaterThan(runs(10, 600));
});

function madeUp(written: object, kind: ExampleKind): unknown {
  return exampleValue(schemaOf(written), kind);
}
