/** Expected and received responses compared: headers, and paths into bodies. */
import { expect, test } from 'vitest';
import { checkSource } from '../../compiler/compile.js';
import { compareResponse } from '../../compiler/tools/testing/compare-response.js';
import { below, parsePath, valueAt } from '../../compiler/tools/testing/json-path.js';
import { readTests } from '../../compiler/tools/testing/read/read-tests.js';
import { testedConfig } from '../helpers/tested-example.js';

/** The messages of the differences, and whether `--update` writes the actual values. */
function found(
  response: string,
  headers: Readonly<Record<string, string | string[]>>,
  body?: unknown,
): string[] {
  const { analysis } = checkSource({ config: { path: 'config.yaml', text: testedConfig(false) } });
  if (analysis === undefined) throw new Error('The configuration cannot be read.');
  const text = `tests:\n  - name: one\n    request: GET /news/1\n    response: ${response}\n`;
  const { file, diagnostics } = readTests({ path: 'config.test.yaml', text }, analysis.config);
  const step = file?.tests[0]?.steps[0];
  if (step === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  const findings = compareResponse(step, { status: 200, headers, text: '', body }, new Map());
  return findings.map(({ message, change }) => `${message}${change === undefined ? '' : ' (written)'}`);
}

test.each([
  ['{ header: { x-total: 7 } }', { 'x-total': '7' }, []],
  [
    '{ header: { X-Total: 7 } }',
    { 'x-total': '8' },
    ['expected the header X-Total to be 7, but it is 8 (written)'],
  ],
  ['{ header: { X-Total: 7 } }', {}, ['expected the header X-Total to be 7, but it is missing']],
  ['{ header: { Link: null } }', {}, []],
  [
    '{ header: { Link: null } }',
    { link: '</news>' },
    ['expected the header Link to be no such header, but it is </news>'],
  ],
  ['{ header: { Set-Cookie: "a=1, b=2" } }', { 'set-cookie': ['a=1', 'b=2'] }, []],
  [
    '{ header: { Link: [a] } }',
    { link: 'a' },
    ['expected the header Link to be a text, but it is a (written)'],
  ],
] as const)('%s and %j', (response, headers, expected) => {
  expect(found(response, headers as Record<string, string | string[]>)).toEqual(expected);
});

test('the reason of refused credentials is a part of the message', () => {
  const { analysis } = checkSource({ config: { path: 'config.yaml', text: testedConfig(false) } });
  if (analysis === undefined) throw new Error('The configuration cannot be read.');
  const text = 'tests:\n  - name: one\n    request: GET /news/1\n';
  const step = readTests({ path: 'config.test.yaml', text }, analysis.config).file?.tests[0]?.steps[0];
  if (step === undefined) throw new Error('The test cannot be read.');
  const response = { status: 401, headers: {}, text: '', body: { message: 'Unauthorized' } };
  const messages = (refusal?: string): string[] =>
    compareResponse(step, response, new Map(), refusal).map(({ message }) => message);
  expect(messages('audience')).toEqual([
    'expected the status of a success, but it is 401 (credentials refused: audience): {"message":"Unauthorized"}',
  ]);
  expect(messages()).toEqual(['expected the status of a success, but it is 401: {"message":"Unauthorized"}']);
});

test('elements of a list that are expected among others are compared one by one where there are as many', () => {
  expect(found('{ bodyIncludes: [{ a: 1 }, { a: 2 }] }', {}, [{ a: 1 }, { a: 3 }])).toEqual([
    'expected 2, but it is 3 (written)',
  ]);
  expect(found('{ bodyIncludes: [/x/] }', {}, ['a', 'b'])).toEqual([
    'expected /x/, and no item is like that; the nearest of 2 is "a" (written)',
  ]);
  expect(found('{ bodyIncludes: [{ a: 1 }] }', {}, [])).toEqual([
    'expected {"a":1}, and no item is like that: there is none (written)',
  ]);
  expect(found('{ bodyIncludes: [{ a: 1, b: 2 }] }', {}, [{ c: 1 }, { a: 1, b: 3 }, { a: 2 }])).toEqual([
    'expected {"a":1,"b":2}, and no item is like that; the nearest of 3 is {"a":1,"b":3} (written)',
  ]);
});

test.each([
  ["$.items[-1]['a b']", ['items', -1, 'a b'], 7],
  ['$', [], { items: [1, { 'a b': 7 }], 'x-y': { z: 1 } }],
  ['$.x-y.z', ['x-y', 'z'], 1],
  ['$.x-y.z.w', ['x-y', 'z', 'w'], undefined],
  ['$.x-y[0]', ['x-y', 0], undefined],
  ['items', undefined, undefined],
  ['$.', undefined, undefined],
  ['$[a]', undefined, undefined],
])('the path %s', (text, path, value) => {
  const body = { items: [1, { 'a b': 7 }], 'x-y': { z: 1 } };
  expect(parsePath(text)).toEqual(path);
  if (path !== undefined) expect(valueAt(body, path)).toEqual(value);
});

test('the path of a field has quotes where its name needs them', () => {
  expect(['a', 'x-y', 'a b', 0].map((step) => below('$', step))).toEqual([
    '$.a',
    '$.x-y',
    "$['a b']",
    '$[0]',
  ]);
});
