/**
 * The generated validators agree with ajv on random schemas and values. Intended differences are excluded from the random schemas and
 * tested in verdicts.test.ts: `multipleOf` with fractions and numbers beyond 2^53 (exact here), numbers that a double cannot represent,
 * `email` and `uri` (lenient here), `int64` (range checked here), and required `readOnly` properties.
 */
import { createRequire } from 'node:module';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { FormatsPlugin } from 'ajv-formats';
import { expect, test } from 'vitest';
import { runs } from '../../helpers/runs.js';
import { describeBodies, errorOf, generatedInputs } from './generated-api.js';
import { randomOf, RandomSchemas } from './random-schema.js';

// Ajv's modules are CommonJS, and their types do not match the imported values.
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
    // Both verdicts must be frequent for the comparison to be meaningful.
    expect(fitting).toBeGreaterThan(models * valuesEach * 0.2);
    expect(fitting).toBeLessThan(models * valuesEach * 0.9);
  },
);

/** Undefined if ajv's generated code refers to an undeclared variable, which happens for some nested schemas. */
function verdictOf(validate: (value: unknown) => unknown, value: unknown): boolean | undefined {
  try {
    return validate(value) === true;
  } catch (error) {
    if (error instanceof ReferenceError) return undefined;
    throw error;
  }
}
