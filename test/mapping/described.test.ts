/** The response of an API description that applies to a status. */
import { expect, test } from 'vitest';
import { describedKey, statusOfInvalid } from '../../compiler/analyze/mapping/described.js';
import type { ApiEndpoint } from '../../compiler/read/openapi/api-model.js';

function endpointWith(...statuses: readonly string[]): ApiEndpoint {
  const response = { content: new Map(), headers: new Map() };
  return { responses: new Map(statuses.map((status) => [status, response])) } as unknown as ApiEndpoint;
}

test.each([
  ['201', ['2XX', '201', 'default'], '201'],
  ['201', ['200', '2XX', 'default'], '2XX'],
  ['404', ['2XX', '4xx', 'default'], '4xx'],
  ['500', ['2XX', '4XX', 'default'], 'default'],
  ['500', ['200', '404'], undefined],
])('%s of %j', (status, described, key) => {
  expect(describedKey(status, endpointWith(...described))).toBe(key);
});

test.each([
  [['200', '422'], 422],
  [['200', '400', '422'], undefined],
  [['200', '400'], undefined],
  [['200'], undefined],
])('requests that are invalid, of %j', (described, status) => {
  expect(statusOfInvalid(endpointWith(...described))).toBe(status);
});

test('requests that are invalid, without a description', () => {
  expect(statusOfInvalid(undefined)).toBeUndefined();
});
