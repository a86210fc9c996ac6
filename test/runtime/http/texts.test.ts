/** runtime/http/texts.ts: the meaning of brackets in untyped parameter names, and names with meaningless brackets. */
import axios from 'axios';
import { expect, test } from 'vitest';
import type { Json } from '../../../runtime/handler/json.js';
import { ServiceError } from '../../../runtime/handler/reply.js';
import { parseQuery } from '../../../runtime/http/request-target.js';
import { Random } from '../../helpers/random.js';
import { runs } from '../../helpers/runs.js';

test.each<[string, Json | undefined]>([
  ['p=1', '1'],
  ['p=1&p=2', ['1', '2']],
  ['p[]=1', ['1']],
  ['p[]=1&x[a]=3&p[]=2', ['1', '2']],
  ['p[1]=b&p[0]=a', ['a', 'b']],
  ['p[a]=1&p[b][]=2', { a: '1', b: ['2'] }],
  ['p[a]=1&p[a]=2', { a: ['1', '2'] }],
  ['p[a][b][c]=', { a: { b: { c: '' } } }],
  ['p[0]=1&p[a]=2', { 0: '1', a: '2' }],
  ['p[2]=1', { 2: '1' }],
  ['p%5Ba%5D=1', { a: '1' }],
  ['p[a%5Bb]=1&q=2', undefined],
  ['pp[]=1', undefined],
  ['[p]=1', undefined],
])('%s', (query, expected) => {
  if (query.includes('a%5Bb')) expect(() => parseQuery(query).get('p')).toThrow(ServiceError);
  else expect(parseQuery(query).get('p')).toEqual(expected);
  // Reading twice returns the same value.
  const texts = parseQuery(query);
  if (expected !== undefined) expect([texts.get('p'), texts.get('p')]).toEqual([expected, expected]);
});

const inOneWay = 'must be written in one way: repeated, as a list or as an object';

test.each([
  ['p=1&p[]=2', inOneWay],
  ['p[]=1&p[0]=2', inOneWay],
  ['p[0]=1&p[]=2', inOneWay],
  ['p[a]=1&p[]=2', inOneWay],
  ['p[a]=1&p[a][b]=2', inOneWay],
  ['p[a][b]=1&p[a]=2', inOneWay],
  ['p[=1', "must not be written as 'p['"],
  ['p[a=1', "must not be written as 'p[a'"],
  ['p[a]b=1', "must not be written as 'p[a]b'"],
  ['p[a[b]]=1', "must not be written as 'p[a[b]]'"],
  ['p[][a]=1', "must not be written as 'p[][a]'"],
  [`p${'[a]'.repeat(65)}=1`, 'has more than 64 brackets one inside the other'],
  [`p[${'x'.repeat(100)}=1`, `must not be written as 'p[${'x'.repeat(58)}…'`],
])('%s is 400', (query, problem) => {
  const read = (): unknown => parseQuery(query).get('p');
  expect(read).toThrow(new ServiceError(400, `The parameter 'p' ${problem}`));
  expect(parseQuery(query).get('x')).toBeUndefined();
});

test('names with brackets that are parameters of their own', () => {
  const texts = parseQuery('p=1&p[a]=2&p[a][]=3');
  expect(texts.exactly('p[a]')).toBe('2');
  expect(texts.bracketed('p', new Set(['p[a]', 'p[a][]']))).toBeUndefined();
});

/** A list or an object that axios can serialize: not empty, and without null. */
function valueOf(random: Random, depth: number): Json {
  const kind = depth === 0 ? 0 : random.below(3);
  if (kind === 0) return ['', 'a', '1', 'ü &=[]', '__proto__'][random.below(5)] ?? '';
  const count = 1 + random.below(3);
  if (kind === 1) return Array.from({ length: count }, () => valueOf(random, depth - 1));
  const names = ['a', 'b c', '10', 'ü', 'constructor'];
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      names[(index + random.below(2)) % 5] ?? '',
      valueOf(random, depth - 1),
    ]),
  );
}

test('the values that axios writes', () => {
  const random = new Random(58);
  for (let count = 0; count < runs(50, 20_000); count += 1) {
    const value = valueOf(random, 4);
    if (typeof value === 'string') continue;
    const uri = axios.getUri({ url: '/x', params: { p: value }, paramsSerializer: { indexes: true } });
    expect(parseQuery(uri.slice(3)).get('p'), uri).toEqual(value);
  }
});
