/** URLs of requests: no value can break out of its part of the URL. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Template } from '../../compiler/read/expression/ast.js';
import { takeApart } from '../../compiler/analyze/operations/requests/request-url.js';
import { textOf, type Json } from '../../runtime/handler/json.js';
import { parseBaseUrl, resolveUrl, type BaseUrl } from '../../runtime/rest/base-url.js';
import { ServiceError } from '../../runtime/handler/reply.js';
import { runs } from '../helpers/runs.js';
import { param, urlOf, type Values } from './templates.js';

/** A constant, or the index of a value. */
type Part = string | number;

interface Shape {
  readonly origin: string;
  readonly base: string | undefined;
  readonly segments: readonly (readonly Part[])[];
  /** Name and value of each parameter; undefined without a question mark. */
  readonly query: readonly { readonly name: readonly Part[]; readonly value: readonly Part[] }[] | undefined;
  readonly fragment: readonly Part[] | undefined;
}

const nasty = [
  ...[
    '',
    '.',
    '..',
    '...',
    '/',
    '//',
    'a/b',
    '/a',
    'a/',
    '../..',
    './',
    '%2e',
    '%2E%2e',
    '.%2e',
    '%2f',
    '%',
    '%zz',
  ],
  ...[
    '\\',
    '..\\',
    '@',
    'user@host',
    ':',
    ':80',
    '#',
    '#x',
    '?',
    '?a=b',
    '&',
    '&a=b',
    '=',
    ';',
    '+',
    ' ',
    '\t',
  ],
  ...[
    '\r\n',
    '\n',
    '\0',
    '\x7f',
    'žluť',
    '🐎',
    '\ud83d',
    '\udc0e',
    '\ufeff',
    '\u2028',
    '。',
    '．',
    '／',
    "'",
    '"',
    '<',
  ],
  ...[
    'http://evil.example',
    '//evil.example',
    'javascript:alert(1)',
    '[::1]',
    'value0x',
    '${x}',
    '{0}',
    '~',
    '|',
    '^',
    '`',
  ],
];
const anyCodeUnits = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 6 })
  .map((codes) => String.fromCharCode(...codes));
const anyText = fc.oneof(
  fc.constantFrom(...nasty),
  fc.tuple(fc.constantFrom(...nasty), fc.constantFrom(...nasty)).map((texts) => texts.join('')),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  anyCodeUnits,
);
const anyValue: fc.Arbitrary<Json> = fc.oneof(
  { weight: 6, arbitrary: anyText },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Json>(null, true, false, 0, -1.5, 1e21, [], {}, ['a', 'b'], { a: '/' }),
  },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }).map((value) => value as Json) },
);

const pathConstant = fc.oneof(
  fc.constantFrom(
    'a',
    'v1',
    'x.json',
    '-',
    '%2F',
    '%2e',
    '.',
    'é',
    'a b',
    "'",
    '"',
    '<>',
    ':',
    '@',
    ';',
    '=',
    '&',
    '|',
    '{',
    '}',
  ),
  fc.constantFrom(
    '^',
    '`',
    '[',
    ']',
    '~',
    '!',
    '$',
    '*',
    '(',
    ')',
    ',',
    '+',
    'value',
    'value0x',
    'valuez',
    '%C5%BE',
    '🐎',
  ),
);
const queryConstant = fc.oneof(
  pathConstant.filter((text) => text !== '&'),
  fc.constantFrom('/', '?', '//', '..'),
);
const partsOf = (constant: fc.Arbitrary<string>, maxLength: number) =>
  fc.array(fc.oneof<fc.Arbitrary<Part>[]>(constant, fc.integer({ min: 0, max: 3 })), { maxLength });
const bases = [
  'http://base.example',
  'https://base.example:8443/',
  'http://base.example/v1',
  'http://base.example/v1/žluť/',
  'http://user:pa%40ss@base.example/v1?key=a%20b&x',
  'http://[::1]:8080?key=1',
];
const anyShape: fc.Arbitrary<Shape> = fc.record({
  origin: fc.constantFrom('', '', 'http://api.example', 'https://api.example:8443'),
  base: fc.option(fc.constantFrom(...bases), { nil: undefined }),
  segments: fc.array(partsOf(pathConstant, 3), { maxLength: 4 }),
  query: fc.option(
    fc.array(fc.record({ name: partsOf(queryConstant, 2), value: partsOf(queryConstant, 3) }), {
      maxLength: 3,
    }),
    { nil: undefined },
  ),
  fragment: fc.option(partsOf(pathConstant, 2), { nil: undefined, freq: 8 }),
});

function templateOf({ origin, segments, query, fragment }: Shape): Template {
  const parts: Part[] = [origin];
  for (const segment of segments) parts.push('/', ...segment);
  for (const [index, { name, value }] of (query ?? []).entries())
    parts.push(index === 0 ? '?' : '&', ...name, '=', ...value);
  if (fragment !== undefined) parts.push('#', ...fragment);
  const joined: (string | number)[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (typeof part === 'string' && typeof last === 'string') joined.splice(-1, 1, last + part);
    else if (part !== '') joined.push(part);
  }
  return joined.map((part) => (typeof part === 'string' ? part : param(String(part))));
}

/** The URL that is sent, computed with the same steps as in `RestDatasource`. */
function sent(shape: Shape, values: Values): URL | undefined {
  const base = shape.base === undefined ? undefined : (parseBaseUrl(shape.base) as BaseUrl);
  const taken = takeApart(templateOf(shape), base !== undefined);
  if ('problem' in taken) return undefined;
  const url = urlOf(taken.url, values);
  if (typeof url !== 'string') return url;
  const text = resolveUrl(url, base);
  const parsed = new URL(text);
  expect(parsed.href).toBe(text);
  return parsed;
}

const safe: Values = new Map(['0', '1', '2', '3'].map((name) => [name, 'x']));
const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);
const parametersOf = ({ search }: URL): string[] => (search === '' ? [] : search.slice(1).split('&'));

describe('a template of a URL', () => {
  test('keeps its origin, its segments and its parameters, and each value arrives', () => {
    let arrived = 0;
    let refused = 0;
    const values = fc.array(anyValue, { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(anyShape, values, (shape, list) => {
        const given: Values = new Map(list.map((value, index) => [String(index), value]));
        const decoded = (parts: readonly Part[]): string =>
          parts
            .map((part) => (typeof part === 'string' ? decodeURIComponent(part) : textOf(list[part])))
            .join('');
        const reference = sent(shape, safe);
        fc.pre(reference !== undefined);
        // Constants of a URL never contain environment references.
        fc.pre(templateOf(shape).every((part) => typeof part !== 'string' || !part.includes('${')));
        // A value that is the whole URL is tested separately.
        fc.pre(templateOf(shape).some((part) => typeof part === 'string'));

        const withValue = shape.segments.filter((parts) => parts.some((part) => typeof part === 'number'));
        const dotted = withValue.map(decoded).some((text) => ['', '.', '..'].includes(text));
        const query = (shape.query ?? []).flatMap(({ name, value }) => [name, value]);
        const texts = [...shape.segments, ...query].map(decoded);
        const used = [...shape.segments, ...query].flat().filter((part) => typeof part === 'number');
        let url: URL | undefined;
        try {
          url = sent(shape, given);
        } catch (error) {
          if (!(error instanceof ServiceError)) throw error;
          refused += 1;
          expect(error.status).toBe(400);
          expect(dotted || !used.every((part) => isWellFormed(textOf(list[part])))).toBe(true);
          return;
        }
        arrived += 1;
        expect(dotted).toBe(false);
        expect(texts.every(isWellFormed)).toBe(true);
        if (url === undefined) throw new Error('the values decide whether the template is right');
        expect([url.origin, url.username, url.password, url.hash]).toEqual([reference.origin, '', '', '']);

        const segments = url.pathname.split('/');
        expect(segments.length).toBe(reference.pathname.split('/').length);
        // The path of the base URL comes first.
        const own = shape.segments.length === 0 ? [] : segments.slice(-shape.segments.length);
        expect(own.map(decodeURIComponent)).toEqual(shape.segments.map(decoded));

        const parameters = parametersOf(url);
        expect(parameters.length).toBe(parametersOf(reference).length);
        const ownParameters =
          (shape.query ?? []).length === 0 ? [] : parameters.slice(-(shape.query ?? []).length);
        expect(ownParameters.map(decodeURIComponent)).toEqual(
          (shape.query ?? []).map(({ name, value }) => `${decoded(name)}=${decoded(value)}`),
        );
      }),
      { numRuns: runs(2000, 70_000) },
    );
    expect(arrived).toBeGreaterThan(runs(500, 20_000));
    // About 168 of 2,000 are expected, with a standard deviation of 12.
    expect(refused).toBeGreaterThan(runs(63, 2_500));
  });

  test('of any text is refused, or no value gets into the origin', () => {
    const scheme = fc.constantFrom(
      'http:',
      'https:',
      'HTTP:',
      'http:/',
      'https://',
      'https:///',
      '//',
      '/',
      '',
      ' ',
      'ftp://',
    );
    const host = fc.constantFrom('api.example', 'api.example:80', '[::1]', '@', ':', '', '/');
    const piece = fc.oneof(fc.constantFrom<Part[]>(0, 1), fc.constantFrom(...nasty), scheme, host);
    const parts = fc
      .tuple(fc.oneof(scheme, piece), fc.oneof(host, piece), fc.array(piece, { maxLength: 5 }))
      .map(([first, second, others]) => [first, second, ...others]);
    let read = 0;
    fc.assert(
      fc.property(
        parts,
        fc.option(fc.constantFrom(...bases), { nil: undefined }),
        anyValue,
        (list, url, value) => {
          const base = url === undefined ? undefined : (parseBaseUrl(url) as BaseUrl);
          const taken = takeApart(
            list.map((part) => (typeof part === 'string' ? part : param(String(part)))),
            base !== undefined,
          );
          if ('problem' in taken || taken.url.kind === 'whole') return;
          const sentUrl = (values: Values): URL => {
            const text = resolveUrl(urlOf(taken.url, values) as string, base);
            const parsed = new URL(text);
            expect(parsed.href).toBe(text);
            return parsed;
          };
          const { origin, pathname, search } = sentUrl(safe);
          expect(origin).toBe(taken.url.origin ?? base?.origin);
          try {
            const other = sentUrl(
              new Map([
                ['0', value],
                ['1', value],
              ]),
            );
            expect([other.origin, other.username, other.password, other.hash]).toEqual([origin, '', '', '']);
            expect(other.pathname.split('/').length).toBe(pathname.split('/').length);
            // An empty string after the question mark is not a parameter.
            if (textOf(value) !== '') expect(other.search.split('&').length).toBe(search.split('&').length);
            read += 1;
          } catch (error) {
            if (!(error instanceof ServiceError)) throw error;
            expect(error.status).toBe(400);
          }
        },
      ),
      { numRuns: runs(1000, 20_000) },
    );
    expect(read).toBeGreaterThan(runs(75, 2_000));
  });

  test('that is one value takes an absolute URL of HTTP and nothing else', () => {
    const taken = takeApart([' ', param('0')], true);
    if ('problem' in taken) throw new Error(taken.problem.problem);
    const urls = fc.oneof(
      anyValue,
      fc.webUrl({ withQueryParameters: true, withFragments: true }),
      anyText.map((text) => `http://${text}`),
    );
    fc.assert(
      fc.property(urls, (value) => {
        try {
          const url = urlOf(taken.url, new Map([['0', value]])) as URL;
          expect(url.protocol).toMatch(/^https?:$/);
          expect([url.username, url.password, url.hash]).toEqual(['', '', '']);
          expect(typeof value === 'string' && URL.canParse(value)).toBe(true);
        } catch (error) {
          if (!(error instanceof ServiceError)) throw error;
          expect(error.status).toBe(400);
        }
      }),
      { numRuns: runs(500, 10_000) },
    );
  });
});
