/** Log content for errors, and text that is never logged. */
import { describe, expect, test } from 'vitest';
import { describeError, describeFailure, mask } from '../../../runtime/server/log.js';
import { asError, ServiceError } from '../../../runtime/handler/reply.js';

describe('errors in the log', () => {
  test('a database error: codes and frames, no message', () => {
    const error = Object.assign(new Error('duplicate key hush'), {
      code: '23505',
      detail: 'Key (id)=(hush)',
      sqlState: '23505',
    });
    const described = describeError(error);
    expect(described).toMatchObject({ type: 'Error', code: '23505', sqlState: '23505' });
    expect(described.stack?.[0]).toMatch(/^at .*log\.test\.ts:\d+:\d+\)?$/);
    expect(JSON.stringify(described)).not.toContain('hush');
  });

  test('an error of MySQL or MariaDB: its number, not the name that the driver knows for it', () => {
    const error = Object.assign(new Error('CONSTRAINT `positive` failed'), {
      code: 'ER_INNODB_AUTOEXTEND_SIZE_OUT_OF_RANGE',
      errno: 4025,
      sqlState: '23000',
    });
    expect(describeError(error)).toMatchObject({ code: 4025, sqlState: '23000' });
  });

  test('a failed call: the stack only where the service may be wrong', () => {
    const cause = Object.assign(new Error('hush'), { code: 'ER_DUP_ENTRY', errno: 1062, sqlState: '23000' });
    const log = { datasource: 'shopdb', code: 1062, constraint: 'email' };
    expect(describeFailure(new ServiceError(409, 'x', { log, cause }))).toEqual({ status: 409, ...log });
    expect(describeFailure(new ServiceError(400, 'x', { cause: new RangeError('y', { cause }) }))).toEqual({
      status: 400,
      error: {
        ...{ type: 'RangeError', message: 'y' },
        cause: { type: 'Error', code: 1062, sqlState: '23000' },
      },
    });
    expect(describeFailure(new ServiceError(500, 'x', { log, cause }))).toMatchObject({
      error: { stack: expect.arrayContaining([expect.stringMatching(/^at /)]) as unknown },
    });
  });

  test('a message with line breaks hides nothing in the stack', () => {
    const described = describeError(new Error('one\n    at hush\ntwo hush'));
    expect(JSON.stringify(described)).not.toContain('hush');
  });

  test('a code that is not a word is left out', () => {
    expect(describeError(Object.assign(new Error(), { code: 'hush hush' })).code).toBeUndefined();
  });

  test('JSON.parse quotes the text that it read: its message is left out', () => {
    let described = '';
    try {
      JSON.parse('{"a": hush}');
    } catch (error) {
      described = JSON.stringify(describeError(error));
    }
    expect(described).toContain('SyntaxError');
    expect(described).not.toContain('hush');
  });

  test('an error of the language keeps its message', () => {
    expect(describeError(new TypeError('x is not a function'))).toMatchObject({
      message: 'x is not a function',
    });
  });

  test('causes are followed, and a cycle ends', () => {
    const inner = Object.assign(new Error('hush'), { code: 'ECONNRESET' });
    expect(describeError(new ServiceError(503, 'away', { cause: inner }))).toMatchObject({
      type: 'ServiceError',
      cause: { code: 'ECONNRESET' },
    });
    const cyclic: Error = new Error('hush');
    cyclic.cause = cyclic;
    expect(JSON.stringify(describeError(cyclic)).match(/"type"/g)).toHaveLength(4);
  });

  test.each([['text'], [null], [undefined], [5]])('%j thrown is described by its type alone', (thrown) => {
    expect(describeError(thrown)).toEqual({ type: typeof thrown });
    const error = asError(thrown);
    expect([error.message, asError(error)]).toEqual([String(thrown), error]);
  });
});

test('a masked secret shows four characters, and only of a long one', () => {
  expect([mask('short'), mask('elevenchars'), mask('ABCD-EFGH-1234')]).toEqual(['****', '****', '****1234']);
});
