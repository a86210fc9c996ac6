/** The log in text mode, and requests in the log (LOG_FORMAT, LOG_REQUESTS). */
import { afterEach, describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { textEntry } from '../../../runtime/server/log.js';
import { killAll, startProcess, type Started } from '../start-process.js';

afterEach(killAll);

const entry = (fields: object) =>
  JSON.stringify({ level: 'warn', time: '2026-01-02T03:04:05.678Z', ...fields, msg: 'it went wrong' });

describe('an entry for people', () => {
  test('is one line, and the frames below it', () => {
    const error = { type: 'TypeError', message: 'a b', stack: ['at f (x.js:1:2)', 'at g (y.js:3:4)'] };
    expect(textEntry(entry({ requestId: 'a-1', operation: 'GET /a', status: 500, error }), false)).toBe(
      '03:04:05.678 WARN  it went wrong requestId=a-1 operation="GET /a" status=500 error={"type":"TypeError","message":"a b"}\n' +
        '    at f (x.js:1:2)\n    at g (y.js:3:4)\n',
    );
    expect(textEntry(entry({}), true)).toContain('\u001b[33mWARN \u001b[0m');
  });

  test('shows what own code logs in place of a text', () => {
    const line = JSON.stringify({ level: 'info', time: 'T', msg: { a: 1 }, inner: { stack: [{ at: 2 }] } });
    expect(textEntry(line, false)).toBe(' INFO  {"a":1} inner={}\n    {"at":2}\n');
  });

  test('logged text cannot end the line or send codes to the terminal', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (key, value) => {
        const text = textEntry(entry({ [`k${key}`]: value, inner: { stack: [value], [key]: value } }), false);
        expect(
          text
            .split('\n')
            .slice(1)
            .every((line) => line === '' || line.startsWith('    ')),
        ).toBe(true);
        expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u2028\u2029\u202e]/u);
      }),
    );
  });

  test('a character of two units is escaped whole', () => {
    const line = textEntry(entry({ header: 'x\u{e0041}\u202e' }), false);
    expect(line).not.toMatch(/\p{Cf}/u);
    expect(line).toContain('\\udb40\\udc41\\u202e');
  });

  test('a line that is no longer JSON, because a secret was a number, is shown all the same', () => {
    expect(textEntry('{"level":"info","n":***}\n', true)).toBe('{"level":"info","n":***}\n');
  });
});

describe('requests in the log', () => {
  async function entries(variables: Record<string, string>): Promise<Started> {
    const service = startProcess('./production/main.ts', { DATASOURCE_MAIN_URL: 'x', ...variables });
    const url = `http://127.0.0.1:${await service.port()}`;
    for (const path of ['/pid', '/wrong', '/nothing?token=hush'])
      await (
        await fetch(url + path, { headers: { 'x-request-id': `id${path.slice(0, 4).replace('/', '-')}` } })
      ).text();
    service.child.kill('SIGTERM');
    await service.ended;
    return service;
  }
  const shown = ({ log }: Started) =>
    log.map(({ level, msg, status }) => `${String(level)} ${String(msg)} ${String(status)}`);

  test('none by default', async () => {
    expect(shown(await entries({}))).toEqual([]);
  });

  test('all of them', async () => {
    const service = await entries({ LOG_REQUESTS: 'on' });
    expect(shown(service)).toEqual([
      'info request 200',
      'info request failed 400',
      'info request 400',
      'info request 404',
    ]);
    expect(service.log[0]).toMatchObject({ requestId: 'id-pid', operation: 'GET /pid' });
    expect(service.log[3]).toMatchObject({ requestId: 'id-not', method: 'GET' });
    expect(service.out).not.toMatch(/hush|nothing/);
  });

  test('those that failed', async () => {
    expect(shown(await entries({ LOG_REQUESTS: 'errors' }))).toEqual([
      'info request failed 400',
      'info request 400',
      'info request 404',
    ]);
  });

  test('for people', async () => {
    const { out, log } = await entries({ LOG_REQUESTS: 'errors', LOG_FORMAT: 'text' });
    expect(log).toEqual([]);
    expect(out).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} INFO {2}request requestId=id-wro operation="GET \/wrong" status=400 ended=whole milliseconds=[\d.]+$/m,
    );
  });
});
