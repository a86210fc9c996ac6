/** The READs of an operation that use a replica: those before the first step after which reads must be current. */
import { expect, test } from 'vitest';
import type { ExplainedStep } from '../../compiler/tools/explain/explained.js';
import { replicaReads } from '../../compiler/tools/explain/replica-reads.js';

/** A step with only the fields read by the function. */
const step = (written: object): ExplainedStep => written as ExplainedStep;
const read = (fulfillment: string, retried = true): ExplainedStep =>
  step({ kind: 'statements', use: 'READ', datasource: 'shop', fulfillment, statements: [{ retried }] });
const write = step({
  kind: 'statements',
  use: 'UPDATE',
  datasource: 'shop',
  statements: [{ retried: false }],
});
const request = (method: string): ExplainedStep => step({ kind: 'requests', requests: [{ method }] });
const loop = (...steps: readonly ExplainedStep[]): ExplainedStep => step({ kind: 'loop', steps });
const call = (operation: string): ExplainedStep => step({ kind: 'call', operation });
const code = step({ kind: 'code' });

const called: Readonly<Record<string, readonly ExplainedStep[]>> = {
  reading: [read('inside')],
  itself: [call('itself')],
  changing: [call('reading'), write],
};

test.each<[what: string, operation: string, steps: readonly ExplainedStep[], found: readonly string[]]>([
  [
    'all where nothing changes',
    'GET /a',
    [read('a'), loop(read('b')), request('GET'), read('c')],
    ['a', 'b', 'c'],
  ],
  ['none of what changes by its method', 'POST /a', [read('a')], []],
  ['those before a change', 'GET /a', [read('a'), write, read('b')], ['a']],
  ['those before a change in a loop', 'GET /a', [read('a'), loop(read('b'), write), read('c')], ['a']],
  ['those before a READ that may change', 'GET /a', [read('a'), read('b', false), read('c')], ['a']],
  [
    'those before a request that may change',
    'HEAD /a',
    [read('a'), request('HEAD'), request('POST'), read('b')],
    ['a'],
  ],
  ['those before own code', 'GET /a', [read('a'), code, read('b')], ['a']],
  ['all around a call that reads', 'GET /a', [read('a'), call('reading'), read('b')], ['a', 'b']],
  ['all around a call of itself', 'GET /a', [call('itself'), read('a')], ['a']],
  ['those before a call that changes', 'GET /a', [read('a'), call('changing'), read('b')], ['a']],
  ['those before a call in a transaction', 'GET /a', [read('a'), call('transaction'), read('b')], ['a']],
])('%s', (_, operation, steps, found) => {
  const replicas = replicaReads(
    operation,
    steps,
    (datasource) => `REPLICA_OF_${datasource}`,
    (name) => called[name],
  );
  expect(replicas).toEqual(
    found.length === 0 ? [] : [{ datasource: 'shop', of: found, variable: 'REPLICA_OF_shop' }],
  );
});
