/** What the log says of an error, and what it never says (decisions 9.3). */
import { describe, expect, test } from 'vitest';
import { describeError, mask } from '../../../runtime/server/log.js';
import { ServiceError } from '../../../runtime/handler/reply.js';

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

  test('causes are followed, and a circle ends', () => {
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
  });
});

test('a masked secret shows four characters, and only of a long one', () => {
  expect([mask('short'), mask('elevenchars'), mask('ABCD-EFGH-1234')]).toEqual(['****', '****', '****1234']);
});
