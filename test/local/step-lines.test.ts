/** The steps of a call as lines, printed by `dev` and `apikiln test`. */
import { expect, test } from 'vitest';
import type { TraceStep } from '../../runtime/trace/steps.js';
import { stepLines } from '../../compiler/tools/local/step-lines.js';

const style = { longestSql: 40, hasTimes: true };

const statement: TraceStep = {
  ...{ kind: 'statement', fulfillment: 'news', datasource: 'newsdb' },
  sql: 'SELECT id\nFROM news',
};

const request: TraceStep = {
  ...{ kind: 'request', fulfillment: 'parcel', datasource: 'carrier', method: 'POST', url: '/parcels' },
};

test('a statement has its rows, a request its status', () => {
  const steps: TraceStep[] = [
    { ...statement, rows: 1, milliseconds: 2 },
    { ...request, status: '201', milliseconds: 30 },
  ];
  expect(stepLines(steps, style)).toEqual([
    '  news: SELECT id FROM news → 1 row, 2.0 ms',
    '  parcel: POST /parcels (carrier) → 201, 30 ms',
  ]);
});

test('a comment at the end of a line does not hide the next lines', () => {
  const sql = "DELETE FROM news -- all\nWHERE note = '--'\nRETURNING *";
  expect(stepLines([{ ...statement, sql, rows: 1 }], { ...style, longestSql: 80 })).toEqual([
    "  news: DELETE FROM news WHERE note = '--' RETURNING * → 1 row",
  ]);
});

test('a call of an operation and own code have their failures', () => {
  const steps: TraceStep[] = [
    { kind: 'reference', fulfillment: 'one', operation: 'GET /one', failure: '404', steps: [] },
    { kind: 'code', fulfillment: 'price', function: 'price', failure: 'Error: no price', milliseconds: 3 },
    { kind: 'compute', fulfillment: 'check', failure: 'The service is busy', milliseconds: 3000 },
    { kind: 'compute', fulfillment: 'check', milliseconds: 41 },
  ];
  expect(stepLines(steps, style)).toEqual([
    "  one: calls 'GET /one' → 404",
    '  price: own code, src/code/price.ts → Error: no price, 3.0 ms',
    '  check: computed → The service is busy, 3000 ms',
    '  check: computed, 41 ms',
  ]);
});

test('tries before the last one, why there was no further one, and a change without a count', () => {
  const steps: TraceStep[] = [
    { ...request, status: '503', tries: ['timeout', '503'], end: 'its time is over', milliseconds: 30 },
    { ...statement, milliseconds: 2 },
    { kind: 'code', fulfillment: 'price', function: 'price' },
  ];
  expect(stepLines(steps, { ...style, hasTimes: false })).toEqual([
    '  parcel: POST /parcels (carrier) → timeout, again → 503, no further try: its time is over',
    '  news: SELECT id FROM news → done',
    '  price: own code, src/code/price.ts',
  ]);
});

test('what did not end has no result and no response', () => {
  expect(stepLines([statement, request], style)).toEqual([
    '  news: SELECT id FROM news → no result',
    '  parcel: POST /parcels (carrier) → no response',
  ]);
});
