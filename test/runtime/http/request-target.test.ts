/** Parsing of request lines and headers: targets, header values, cookies. */
import { expect, test } from 'vitest';
import { cookiesOf, decodeHeader, normalTarget } from '../../../runtime/http/request-target.js';

test.each([
  ['/a/b', '/a/b'],
  ['/%61/%2f', '/a/%2F'],
  ['/a?b=%63', '/a?b=%63'],
  ['/a?', '/a?'],
  ['/%61?', '/a'],
  ['/%61?b=%63', '/a?b=%63'],
])('%s is the target %s', (target, normal) => {
  expect(normalTarget(target)).toBe(normal);
});

test.each([
  ['plain', 'plain'],
  [Buffer.from('žluť').toString('latin1'), 'žluť'],
  ['caf\u00e9', 'café'],
])('the header %j is %s', (header, value) => {
  expect(decodeHeader(header)).toBe(value);
});

test.each([
  [undefined, []],
  ['id=1; other=2;id = 3 ; id', ['1', '3']],
  ['id="a b"', ['a b']],
  ['\tid\t=\t1\t;x=1', ['1']],
  // Byte A0 is part of a name or value: a browser does not take this cookie for `id`, so no rule of its prefix protects it.
  ['\u00a0id=1; id\u00a0=2;\u00a0id\u00a0=3; id=\u00a04\u00a0', ['\u00a04\u00a0']],
  ['id=a%20b%C3%A9', ['a bé']],
  ['id=100%', ['100%']],
  [`id=${Buffer.from('ž').toString('latin1')}`, ['ž']],
])('the cookies of %s', (header, values) => {
  expect(cookiesOf(header, 'id')).toEqual(values);
});
