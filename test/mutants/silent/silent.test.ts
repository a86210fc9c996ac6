/**
 * The mistakes of which the first version said nothing: each class of them is reported today, or stands in the list of those that are not.
 * SILENT_MUTANTS=all tries all mutants; `npx tsx test/mutants/silent/print-table.ts` prints the figures.
 */
import { describe, expect, test } from 'vitest';
import { everyMessage } from '../../../compiler/check/every-message.js';
import { classes } from './classes.js';
import { expected } from './expected.js';
import { mostMutants } from './most-mutants.js';
import { mutantsOf } from './run.js';

test('every class is listed once', () => {
  expect(classes.map(({ name }) => name).sort()).toEqual(Object.keys(expected).sort());
});

test('every code that is expected is one', () => {
  const codes = Object.values(expected).flatMap((told) => (told === 'silent' ? [] : told.codes));
  expect(codes.filter((code) => !(code in everyMessage))).toEqual([]);
});

describe('mutants of one mistake each', () => {
  test.each(classes.map((one) => [one.name, one] as const))('%s', (name, one) => {
    const mutants = mutantsOf(one, mostMutants);
    expect(mutants.length).toBeGreaterThan(0);
    const told = expected[name];
    if (told === undefined || told === 'silent') {
      expect(mutants.filter((mutant) => mutant.told.length > 0).length, 'some are silent').toBeLessThan(
        mutants.length,
      );
      return;
    }
    const isExpected = ({ code, severity }: { code: string; severity: string }): boolean =>
      (severity === told.severity && told.codes.includes(code)) ||
      (severity === 'error' && told.errorsInstead?.includes(code) === true);
    const others = mutants.filter((mutant) => !mutant.told.some(isExpected));
    const found = others.map((mutant) => `${mutant.name}: ${mutant.told.map(({ code }) => code).join(', ')}`);
    if (told.butNot === undefined) expect(found).toEqual([]);
    else expect(others.length).toBeLessThan(mutants.length);
  });
});
