/** Addresses followed by a service are redirected to the stubs; everything else in a response is unchanged. */
import { expect, test } from 'vitest';
import { leadToStub } from '../../compiler/tools/local/lead-to-stub.js';
import type { Path } from '../../compiler/read/expression/ast.js';

const origin = 'https://api.example.com';
const url = 'http://127.0.0.1:4000/shop';
const next: Path = [
  { kind: 'name', name: 'pages' },
  { kind: 'index', index: -1 },
  { kind: 'name', name: 'next' },
];

test('headers', () => {
  const there = (headers: Record<string, string>): unknown =>
    leadToStub({ status: 200, headers }, { origin, next: [] }, url).headers;
  expect(
    there({
      location: `${origin}/a?b=1#c`,
      link: `<${origin}/a?page=2>; rel="next", </a>; rel="first", <https://other.example/a>; rel="x"`,
      'x-address': `${origin}/a`,
    }),
  ).toEqual({
    location: `${url}/a?b=1#c`,
    link: `<${url}/a?page=2>; rel="next", </a>; rel="first", <https://other.example/a>; rel="x"`,
    'x-address': `${origin}/a`,
  });
  for (const location of ['/a', 'https://me:secret@api.example.com/a', 'http://api.example.com/a'])
    expect(there({ location })).toEqual({ location });
});

test.each([
  ['the next page', `{"pages":[{"next":"${origin}/a?page=2"}]}`, `{"pages":[{"next":"${url}/a?page=2"}]}`],
  [
    'numbers keep their digits',
    `{"n":1.0, "pages":[{"next":"${origin}/a"}]}`,
    `{"n":1.0, "pages":[{"next":"${url}/a"}]}`,
  ],
  [
    'escaped slashes',
    `{"pages":[{"next":"https:\\/\\/api.example.com\\/a"}]}`,
    `{"pages":[{"next":"${url}/a"}]}`,
  ],
  [
    'signs of a replacement',
    `{"pages":[{"next":"${origin}/a?$&b=$$1"}]}`,
    `{"pages":[{"next":"${url}/a?$&b=$$1"}]}`,
  ],
  ['a page of somebody else', '{"pages":[{"next":"https://other.example/a"}]}', undefined],
  ['no list', `{"pages":{"next":"${origin}/a"}}`, undefined],
  ['no object', `{"pages":["${origin}/a"]}`, undefined],
  ['no such field', `{"pages":[{"previous":"${origin}/a"}]}`, undefined],
  ['no text', '{"pages":[{"next":2}]}', undefined],
  ['no JSON', `next: ${origin}/a`, undefined],
])('a body: %s', (_, body, expected) => {
  const led = leadToStub({ status: 200, body: Buffer.from(body) }, { origin, next: [next] }, url);
  expect(String(led.body)).toBe(expected ?? body);
});

test('of an address that is not known nothing is changed', () => {
  const response = { status: 302, headers: { location: `${origin}/a` } };
  expect(leadToStub(response, { origin: undefined, next: [next] }, url)).toBe(response);
});
