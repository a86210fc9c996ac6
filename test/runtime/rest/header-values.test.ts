/** Header values arrive byte for byte, or the operation ends with 400. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { textOf, type Json } from '../../../runtime/handler/json.js';
import { headerValue } from '../../../runtime/rest/header-value.js';
import type { Message } from '../../../runtime/rest/message.js';
import { rest } from '../../../runtime/rest/rest.js';
import { ServiceError } from '../../../runtime/handler/reply.js';
import { testCall } from '../../helpers/test-call.js';
import { Wire } from './wire.js';
import { runs } from '../../helpers/runs.js';

const wire = new Wire();
const datasource = rest({ name: 'api', header: ['X-Api-Key', 'Accept-Language'] });
const send = datasource.request({ operation: 'test', fulfillment: 'answer', method: 'POST' });

beforeAll(async () => {
  const header = { 'X-Api-Key': 'key', 'Accept-Language': 'cs' };
  datasource.open({ url: await wire.start(), responseLimit: 1000, user: 'us', password: 'pw', header });
});
afterAll(() => {
  datasource.close();
  wire.stop();
});

/** The header lines that arrive. */
async function sent(
  header: Record<string, string | undefined>,
  more: Partial<Message> = {},
): Promise<string[]> {
  await send(testCall(), { url: '/', header, ...more });
  return wire.take();
}

/** The values that arrive under a name, case-insensitively. */
function valuesOf(lines: readonly string[], name: string): string[] {
  const start = `${name.toLowerCase()}: `;
  return lines.filter((line) => line.toLowerCase().startsWith(start)).map((line) => line.slice(start.length));
}

describe('a value', () => {
  test.each<[string, Json, string]>([
    ['text', 'abc', 'abc'],
    ['every character that a header can carry', characters(), characters().replace(/^[\t ]+/, '')],
    ['Latin-1', '\xfcber \xa7', '\xfcber \xa7'],
    ['a tab inside', 'a\tb', 'a\tb'],
    ['blanks inside', 'a   b', 'a   b'],
    ['blanks outside: they are no part of a header', ' \ta \t', 'a'],
    ['nothing', '', ''],
    ['number', 12.5, '12.5'],
    ['boolean', false, 'false'],
    ['array', ['a', 1], '["a",1]'],
    ['object', { a: 'b' }, '{"a":"b"}'],
    ['quotes, commas, semicolons', 'a="b, c"; d', 'a="b, c"; d'],
    ['60,000 characters', 'x'.repeat(60_000), 'x'.repeat(60_000)],
  ])('%s', async (_what, value, expected) => {
    const header = { 'X-Value': headerValue(value) };
    expect(valuesOf(await sent(header), 'X-Value')).toEqual([expected]);
    // Requests with a body take a different code path in Node.
    expect(valuesOf(await sent(header, { body: { a: 'ž' } }), 'X-Value')).toEqual([expected]);
    expect(valuesOf(await sent(header, { multipart: { a: 'ž', b: 'x' } }), 'X-Value')).toEqual([expected]);
  });

  test.each<[string, Json]>([
    ['CR LF and another header', 'a\r\nX-Evil: 1'],
    ['LF', 'a\nb'],
    ['CR', 'a\rb'],
    ['LF at the end', 'a\n'],
    ['NUL', 'a\0'],
    ['ESC', '\x1b[0m'],
    ['DEL', '\x7f'],
    ['beyond Latin-1', 'žluť'],
    ['that UTF-8 would make CR LF of', '\u010d\u010a'],
    ['that cutting would make LF of', '\u560a'],
    ['emoji', '🐎'],
    ['lone surrogate', '\ud83d'],
    ['line separator', '\u2028'],
    ['array with such a text', ['ž']],
    ['object with such a name', { ž: 1 }],
  ])('%s: 400', (_what, value) => {
    expect(() => headerValue(value)).toThrow(ServiceError);
    expect(() => headerValue(value)).toThrow(
      expect.objectContaining({ status: 400, message: expect.stringContaining('header') as string }) as Error,
    );
  });

  test('null: the header is left out', async () => {
    expect(valuesOf(await sent({ 'X-Value': headerValue(null) }), 'X-Value')).toEqual([]);
    expect(valuesOf(await sent({ 'X-Value': headerValue(undefined) }), 'X-Value')).toEqual([]);
  });

  test('whatever it is, arrives as it is or is refused', async () => {
    const text = fc.array(fc.oneof(fc.integer({ min: 0, max: 0x17f }), fc.integer({ min: 0, max: 0xffff })), {
      maxLength: 10,
    });
    const latin = fc.array(fc.integer({ min: 0x20, max: 0xff }), { maxLength: 10 });
    const values = fc.oneof(text, latin).map((codes) => String.fromCharCode(...codes));
    let arrived = 0;
    await fc.assert(
      fc.asyncProperty(values, async (value) => {
        const fits = /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
        let given: string | undefined;
        try {
          given = headerValue(value);
        } catch {
          expect(fits).toBe(false);
          return;
        }
        expect(fits).toBe(true);
        const lines = await sent({ 'X-Value': given, 'X-Last': 'last' });
        expect(valuesOf(lines, 'X-Value')).toEqual([textOf(value).replace(/^[\t ]+|[\t ]+$/g, '')]);
        expect(valuesOf(lines, 'X-Last')).toEqual(['last']);
        arrived += 1;
      }),
      { numRuns: runs(125, 2000) },
    );
    // About 70 of 125 are expected, with a standard deviation of 6.
    expect(arrived).toBeGreaterThan(runs(25, 400));
  });
});

describe('headers of several sources', () => {
  test('are one, whatever the letter case: the request wins over the datasource, and that over ours', async () => {
    const lines = await sent({
      'x-API-key': 'mine',
      accept: 'text/csv',
      'USER-AGENT': 'me',
      'accept-language': 'en',
    });
    expect(valuesOf(lines, 'x-api-key')).toEqual(['mine']);
    expect(valuesOf(lines, 'accept')).toEqual(['text/csv']);
    expect(valuesOf(lines, 'user-agent')).toEqual(['me']);
    expect(valuesOf(lines, 'accept-language')).toEqual(['en']);
    expect(valuesOf(lines, 'authorization')).toEqual([`Basic ${Buffer.from('us:pw').toString('base64')}`]);
  });

  test('one that is left out in the request stays as the datasource has it', async () => {
    const lines = await sent({ 'X-Api-Key': headerValue(null), authorization: headerValue('Bearer x') });
    expect(valuesOf(lines, 'x-api-key')).toEqual(['key']);
    expect(valuesOf(lines, 'authorization')).toEqual(['Bearer x']);
  });

  test('the content type of a JSON body may be another one, its length may not be wrong', async () => {
    const lines = await sent({ 'content-type': 'application/vnd.api+json' }, { body: { a: 'ž' } });
    expect(valuesOf(lines, 'content-type')).toEqual(['application/vnd.api+json']);
    expect(valuesOf(lines, 'content-length')).toEqual(['10']);
  });

  test('there are no others than these', async () => {
    const names = (await sent({})).map((line) => line.split(':')[0]?.toLowerCase());
    const expected = ['accept', 'accept-encoding', 'accept-language', 'authorization', 'connection'];
    expect(names.sort()).toEqual([...expected, 'content-length', 'host', 'user-agent', 'x-api-key']);
  });
});

test('settings that no header can carry keep the service from starting, and are not repeated', () => {
  const settings = { url: 'http://a.example', responseLimit: 1 };
  expect(() => rest({ name: 'a' }).open({ ...settings, header: { 'X-Key': 'CANARY\n' } })).toThrow(
    'the header X-Key has characters that no header can carry',
  );
  // Names and passwords are base64-encoded, so they may contain any character.
  expect(rest({ name: 'a' }).open({ ...settings, user: 'ž', password: '\n' })).toEqual([]);
});

/** The tab and all printable Latin-1 characters. */
function characters(): string {
  const codes = [9, ...Array.from({ length: 224 }, (_, index) => index + 32)];
  return String.fromCharCode(...codes.filter((code) => code !== 0x7f));
}
