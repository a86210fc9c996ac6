/** The steps of a call as printed by `dev` and `test`. */
import { noColours } from '../../compiler/notation/screen-writer.js';
import { expect, test } from 'vitest';
import { requestLines } from '../../compiler/tools/dev/request-lines.js';
import { callLines } from '../../compiler/tools/testing/print/print-steps.js';
import type { Trace } from '../../runtime/trace/steps.js';

const trace: Trace = {
  ...{ operation: 'POST /orders', status: 201, milliseconds: 9, omitted: 0 },
  steps: [
    {
      ...{ kind: 'loop', fulfillment: 'lines', iterations: 1 },
      steps: [
        {
          ...{ kind: 'iteration', position: 0 },
          steps: [
            {
              ...{ kind: 'statement', fulfillment: 'stock', datasource: 'shopdb' },
              ...{ sql: 'UPDATE stock\n  SET amount = 1', affected: 1 },
            },
            {
              ...{ kind: 'request', fulfillment: 'paid', datasource: 'bank', method: 'POST', url: '/pay' },
              status: '2xx',
            },
          ],
        },
      ],
    },
    { kind: 'reference', fulfillment: 'mail', operation: 'send mail', steps: [] },
    { kind: 'exception', name: 'mail', condition: 'SIZE(VALUE(mail, $)) == INTEGER(0)', holds: false },
    { kind: 'default', name: 'ok' },
  ],
};

test('are the same in both', () => {
  const request = { method: 'POST', target: '/orders', status: 201, milliseconds: 9, trace };
  const [, ...ofDev] = requestLines(request, noColours);
  const [, ...ofTest] = callLines([trace]);
  expect(ofDev).toEqual(ofTest);
  expect(ofTest.join('\n')).toBe(`  lines: loop, 1 iteration
    iteration 1
      stock: UPDATE stock SET amount = 1 → 1 changed
      paid: POST /pay (bank) → 2xx
  mail: calls 'send mail'
  mail: exception if SIZE(VALUE(mail, $)) == INTEGER(0) → false
  response ok (default)`);
});

test('a failure of the last step is printed once', () => {
  const failure = 'The database is not available (code ECONNREFUSED)';
  const step = {
    ...({ kind: 'statement', fulfillment: 'news', datasource: 'newsdb', sql: 'SELECT 1' } as const),
    ...{ failure, milliseconds: 3 },
  };
  const failed = { ...trace, status: 503, failure };
  const printed = (steps: Trace['steps']): string[] =>
    requestLines(
      { method: 'GET', target: '/news', status: 503, milliseconds: 9, trace: { ...failed, steps } },
      noColours,
    ).slice(1);
  expect(printed([step])).toEqual([`  news: SELECT 1 → ${failure}, 3.0 ms`]);
  expect(printed([])).toEqual([`  ${failure}`]);
});
