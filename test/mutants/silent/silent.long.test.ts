/**
 * Errors not reported by the first version: each class is reported now, or is in the list of unreported ones. SILENT_MUTANTS=all tries all
 * mutants; `npx tsx test/mutants/silent/print-table.ts` prints the figures.
 */
import { describe, expect, test } from 'vitest';
import { everyMessage } from '../../../compiler/analyze/check/rule-list.js';
import { classes } from './classes.js';
import { expected } from './expected.js';
import { maxMutants } from './max-mutants.js';
import { mutantsOf } from './run.js';

test('every class is listed once', () => {
  expect(classes.map(({ name }) => name).sort()).toEqual(Object.keys(expected).sort());
});

test('every code that is expected is one', () => {
  const codes = Object.values(expected).flatMap((newDiagnostics) =>
    newDiagnostics === 'silent' ? [] : newDiagnostics.codes,
  );
  expect(codes.filter((code) => !(code in everyMessage))).toEqual([]);
});

describe('mutants of one error each', () => {
  test.each(classes.map((one) => [one.name, one] as const))('%s', (name, one) => {
    const newDiagnostics = expected[name];
    // If some mutants are silent, all of a small sample could be.
    const isSometimes = typeof newDiagnostics === 'object' && newDiagnostics.butNot !== undefined;
    const mutants = mutantsOf(one, isSometimes ? Math.max(maxMutants, 12) : maxMutants);
    expect(mutants.length).toBeGreaterThan(0);
    if (newDiagnostics === undefined || newDiagnostics === 'silent') {
      expect(
        mutants.filter((mutant) => mutant.newDiagnostics.length > 0).length,
        'some are silent',
      ).toBeLessThan(mutants.length);
      return;
    }
    const isExpected = ({ code, severity }: { code: string; severity: string }): boolean =>
      (severity === newDiagnostics.severity && newDiagnostics.codes.includes(code)) ||
      (severity === 'error' && newDiagnostics.errorsInstead?.includes(code) === true);
    const others = mutants.filter((mutant) => !mutant.newDiagnostics.some(isExpected));
    const found = others.map(
      (mutant) => `${mutant.name}: ${mutant.newDiagnostics.map(({ code }) => code).join(', ')}`,
    );
    if (newDiagnostics.butNot === undefined) expect(found).toEqual([]);
    else expect(others.length).toBeLessThan(mutants.length);
  });
});
