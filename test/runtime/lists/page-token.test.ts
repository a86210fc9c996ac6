/** The token for the next page: rows that cannot have a token, and invalid tokens. */
import { describe, expect, test } from 'vitest';
import type { Json, Row } from '../../../runtime/handler/json.js';
import type { OrderColumn } from '../../../runtime/lists/ordered-sql.js';
import { readToken, writeToken } from '../../../runtime/lists/page-token.js';

const columns: readonly OrderColumn[] = [{ column: 'title', nulls: 'last' }, { column: 'id' }];

test.each<[Row, readonly Json[]]>([
  [{ title: 'a', id: 1 }, ['a', 1]],
  [{ title: null, id: '12345678901234567890' }, [null, '12345678901234567890']],
  [{ title: { ordered: 'NaN', shown: null }, id: true }, ['NaN', true]],
])('%j is read as it was written', (row, values) => {
  expect(readToken(writeToken('order', columns, row), 'order', columns)).toEqual(values);
});

test.each<[Row, string]>([
  [{ id: 1 }, "The rows have no column 'title'."],
  [{ title: ['a'], id: 1 }, "Rows cannot be ordered in pages by 'title', which is not a scalar."],
  [{ title: 'a', id: null }, "'id' is null in a row, and is a column of the key."],
  [{ title: 'a'.repeat(6000), id: 1 }, "The values of 'title', 'id' are too long for a token."],
])('rows that cannot be continued', (row, message) => {
  expect(() => writeToken('order', columns, row)).toThrow(message);
});

describe('what belongs to no page', () => {
  const token = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

  test.each([
    ['nothing', ''],
    ['other characters', 'a b'],
    ['more than any token', 'a'.repeat(6001)],
    ['no JSON', 'abc'],
    ['no list', token({ order: 'order' })],
    ['another order', token(['other', 'a', 1])],
    ['too few values', token(['order', 'a'])],
    ['a list as a value', token(['order', ['a'], 1])],
    ['null in the key', token(['order', 'a', null])],
    ['a number that is infinite', Buffer.from('["order","a",1e999]').toString('base64url')],
  ])('%s', (_, text) => {
    expect(readToken(text, 'order', columns)).toBeUndefined();
  });
});
