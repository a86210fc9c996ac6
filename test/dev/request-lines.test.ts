/** Requests and timed operations as lines printed by `apikiln dev`, and the timers listed on the test page. */
import { noColours } from '../../compiler/notation/screen-writer.js';
import { expect, test } from 'vitest';
import { requestLines, runLines } from '../../compiler/tools/dev/request-lines.js';
import { timedOperations } from '../../compiler/tools/dev/timed-operations.js';
import type { Trace, TraceStep } from '../../runtime/trace/steps.js';

const step: TraceStep = {
  ...{ kind: 'statement', fulfillment: 'news', datasource: 'newsdb' },
  ...{ sql: 'SELECT id', rows: 1, milliseconds: 2 },
};

function traceOf(count: number, more: Partial<Trace> = {}): Trace {
  const steps = Array.from({ length: count }, () => step);
  return { operation: 'GET /news', status: 200, milliseconds: 5, steps, omitted: 0, ...more };
}

test.each([
  [20, 0, undefined],
  [21, 0, '  1 more step'],
  [21, 4, '  5 more steps'],
])('of %d steps and %d that were not recorded 20 are printed', (count, omitted, last) => {
  const seen = { method: 'GET', target: '/news', status: 200, milliseconds: 5 };
  const [head, ...steps] = requestLines({ ...seen, trace: traceOf(count, { omitted }) }, noColours);
  expect(head).toBe('200 GET /news 5.0 ms');
  expect(steps.slice(0, 20)).toEqual(Array(20).fill('  news: SELECT id → 1 row, 2.0 ms'));
  expect(steps[20]).toBe(last);
});

test('refused credentials have their reason after the time', () => {
  const seen = {
    method: 'GET',
    target: '/me',
    namesPage: false,
    status: 401,
    milliseconds: 15,
    trace: undefined,
  };
  expect(requestLines({ ...seen, refusal: 'expired' }, noColours)).toEqual([
    '401 GET /me 15 ms credentials refused: expired',
  ]);
  expect(requestLines({ ...seen, refusal: undefined }, noColours)).toEqual(['401 GET /me 15 ms']);
});

test('a program without the headers of a page is shown the header that a cookie needs', () => {
  const seen = { method: 'DELETE', target: '/session', status: 403, milliseconds: 15, trace: undefined };
  const line = '403 DELETE /session 15 ms credentials refused: origin';
  expect(requestLines({ ...seen, isFromProgram: true, refusal: 'origin' }, noColours)).toEqual([
    line,
    "  Outside of a browser, add a header: curl -H 'Sec-Fetch-Site: same-origin'",
  ]);
  expect(requestLines({ ...seen, isFromProgram: false, refusal: 'origin' }, noColours)).toEqual([line]);
});

test('a timed operation that was run immediately: its end and its reason', () => {
  const run = { operation: 'clean up', milliseconds: 12 };
  expect(runLines({ ...run, succeeded: true, trace: traceOf(0) }, noColours)).toEqual(['ran clean up 12 ms']);
  expect(
    runLines({ ...run, succeeded: false, trace: traceOf(0, { failure: 'timeout' }) }, noColours),
  ).toEqual(['failed clean up 12 ms', '  timeout']);
  expect(runLines({ ...run, succeeded: false, trace: undefined }, noColours)).toEqual([
    'failed clean up 12 ms',
  ]);
});

test('a trigger has its schedule, and its time zone where it has one', () => {
  const triggers = [
    { trigger: 'nightly', cron: '0 3 * * *', timezone: 'Europe/Berlin' },
    { trigger: 'hourly', cron: '0 * * * *' },
  ];
  expect(timedOperations([{ name: 'clean up', triggers }])).toEqual([
    { name: 'clean up', triggers: ['nightly (0 3 * * *, Europe/Berlin)', 'hourly (0 * * * *)'] },
  ]);
});
