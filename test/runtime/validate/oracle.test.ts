/**
 * The generated validators decide the same as ajv, on random schemas and values. What differs on purpose is kept out of the
 * random schemas and tested in verdicts.test.ts: fractions and numbers beyond 2^53 with multipleOf (ours are exact), numbers that a double cannot
 * carry, `email` and `uri` (ours are loose), `int64` (ours has its range), `readOnly` properties that are required.
 */
import { createRequire } from 'node:module';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { FormatsPlugin } from 'ajv-formats';
import { expect, test } from 'vitest';
import { runs } from '../../helpers/runs.js';
import { describeBodies, errorOf, generatedInputs } from './generated-api.js';
import { randomOf, RandomSchemas } from './random-schema.js';

// CommonJS modules, whose types do not match the value of an import.
const require = createRequire(import.meta.url);
const { Ajv2020: Ajv } = require('ajv/dist/2020.js') as { Ajv2020: typeof Ajv2020 };
const addFormats = require('ajv-formats') as FormatsPlugin;

const models = 60;
const valuesEach = 50;

test.each(Array.from({ length: runs(1, 10) }, (_, index) => index + 1))(
  'seed %i: same verdict as ajv',
  async (seed) => {
    const schemas = new RandomSchemas(randomOf(seed));
    const all = Object.fromEntries(
      Array.from({ length: models }, (_, index) => [`M${index}`, schemas.schema(index, models)]),
    );
    const inputs = await generatedInputs(describeBodies(all));
    const ajv = new Ajv({
      strict: false,
      logger: false,
      validateFormats: true,
      ownProperties: true,
      unevaluated: false,
    });
    addFormats(ajv);
    ajv.addSchema({ components: { schemas: all } }, 'doc');
    let fitting = 0;
    for (const name of Object.keys(all)) {
      const validate = ajv.compile({ $ref: `doc#/components/schemas/${name}` });
      const resolve = (reference: string): unknown => all[reference.split('/').at(-1) ?? ''];
      for (let count = 0; count < valuesEach; count += 1) {
        const value = schemas.near(all[name], resolve);
        const expected = verdictOf(validate, value);
        if (expected === undefined) continue;
        const fault = errorOf(inputs.get(`POST /${name}`), { body: value });
        if (expected) fitting += 1;
        if ((fault === undefined) !== expected)
          expect.fail(
            `${name}: ${JSON.stringify(all[name])}\n${JSON.stringify(value)}\najv: ${expected}, ours: ${fault ?? 'fits'}`,
          );
      }
    }
    // Verdicts of both kinds, or the comparison shows little.
    expect(fitting).toBeGreaterThan(models * valuesEach * 0.2);
    expect(fitting).toBeLessThan(models * valuesEach * 0.9);
  },
);

/** Undefined where the code that ajv makes of some nested schemas names a variable that it does not have. */
function verdictOf(validate: (value: unknown) => unknown, value: unknown): boolean | undefined {
  try {
    return validate(value) === true;
  } catch (error) {
    if (error instanceof ReferenceError) return undefined;
    throw error;
  }
}
