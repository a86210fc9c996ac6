/** The effect of a changed schema on clients that send its values and on clients that receive them. */
import { expect, test } from 'vitest';
import { compareInput, compareOutput, type ShapeChange } from '../../compiler/tools/diff/compare-shapes.js';
import { shapeOfSchema } from '../../compiler/tools/diff/value-shape.js';
import { schemaOf } from '../init/schema-of.js';

const text = { type: 'string' };
const words = { type: 'string', enum: ['a', 'b'] };

/** A `oneOf` whose alternatives are chosen by `kind`, each with a field `n` of its own type. */
const chosen = (types: Readonly<Record<string, string>>): object => ({
  oneOf: Object.entries(types).map(([kind, type]) => ({
    type: 'object',
    properties: { kind: { const: kind }, n: { type } },
  })),
  discriminator: { propertyName: 'kind' },
});

/** Breaking changes begin with `!`. */
const shown = ({ isBreaking, text: change }: ShapeChange): string => `${isBreaking ? '! ' : ''}${change}`;

test.each<[before: object, after: object, input: readonly string[], output: readonly string[]]>([
  [text, text, [], []],
  [text, words, ['! it must be one of "a", "b" now'], ['it is one of "a", "b" now']],
  [
    words,
    text,
    ['it accepts values other than "a", "b" now'],
    ['! it can be a value other than "a", "b" now'],
  ],
  [
    words,
    { type: 'string', enum: ['b', 'c'] },
    ['! it does not accept "a" now', 'it accepts "c" now'],
    ['it is never "a" now', '! it can be "c" now'],
  ],
  [text, { ...text, format: 'date' }, ['! it has the format date now'], ['it has the format date now']],
  [
    { ...text, format: 'date' },
    text,
    ['it has no format now; it had date'],
    ['! it has no format now; it had date'],
  ],
  [
    { ...text, format: 'date' },
    { ...text, format: 'time' },
    ['! it has the format time now; it had date'],
    ['! it has the format time now; it had date'],
  ],
  [
    { type: 'number' },
    { type: 'integer' },
    ['! it must be integer now, not number'],
    ['it is never a fraction now'],
  ],
  [
    { type: 'integer' },
    { type: 'number' },
    ['it may be a fraction too'],
    ['! it is number now; it was integer'],
  ],
  [
    { type: ['string', 'null'] },
    text,
    ['! it must be string now, not string or null'],
    ['it is never null now'],
  ],
  [text, { type: ['string', 'null'] }, ['it may be null too'], ['! it can be null now']],
  [text, { oneOf: [text] }, [], []],
  [{ anyOf: [{ allOf: [text] }] }, text, [], []],
  [{}, text, ['! it must be string now; it could be anything'], []],
  [chosen({ a: 'string', b: 'integer' }), chosen({ b: 'integer', a: 'string' }), [], []],
  [
    chosen({ a: 'string', b: 'integer' }),
    chosen({ c: 'string', b: 'string' }),
    [
      '! it.kind does not accept "a" now',
      'it.kind accepts "c" now',
      '! it.n must be string now, not integer',
    ],
    ['it.kind is never "a" now', '! it.kind can be "c" now', '! it.n is string now; it was integer'],
  ],
  [
    { oneOf: [{ type: 'object' }, { type: 'object', required: ['n'] }] },
    chosen({ a: 'string', b: 'integer' }),
    ['! it.kind must be one of "a", "b" now'],
    [],
  ],
  [
    chosen({ a: 'string', b: 'string' }),
    { ...chosen({ a: 'string', b: 'string' }), discriminator: undefined },
    ['it.kind does not choose the alternative now'],
    [],
  ],
  [text, {}, ['it accepts any value now'], []],
])('%j and %j', (before, after, input, output) => {
  const [old, now] = [before, after].map((schema) => shapeOfSchema(schemaOf(schema)));
  if (old === undefined || now === undefined) throw new Error('A side is missing.');
  expect([compareInput(old, now, 'it').map(shown), compareOutput(old, now, 'it').map(shown)]).toEqual([
    input,
    output,
  ]);
});
