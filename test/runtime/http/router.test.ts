/** runtime/http/router.ts: the operation for a method and a path, compared with a naive matcher. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRouter, type Match } from '../../../runtime/http/router.js';
import type { Endpoint, OperationModule, Route } from '../../../runtime/http/route.js';
import { ServiceError } from '../../../runtime/handler/reply.js';
import { runs } from '../../helpers/runs.js';

const handler = () => ({ status: 200 });

function routes(...names: string[]): Route[] {
  return names.map((name) => {
    const [method = '', path = ''] = name.split(' ');
    return { method, path, handler };
  });
}

/** `GET /news/{id} id=5`, or the allowed methods. */
function shown({
  route,
  names,
  values,
  allow,
}: Omit<Match, 'route'> & { route: Endpoint | undefined }): string {
  if (!route) return allow.length === 0 ? '404' : `405 ${allow.join(', ')}`;
  return [
    `${route.method} ${route.path}`,
    ...names.map((name, index) => `${name}=${values[index] ?? ''}`),
  ].join(' ');
}

const router = createRouter(
  routes(
    'GET /',
    'GET /news',
    'POST /news',
    'GET /news/',
    'GET /news/{id}',
    'DELETE /news/{id}',
    'GET /news/latest',
    'PUT /news/{id}/comment/{comment}',
    'GET /news/latest/comment/x',
    'GET /files/{name}.json',
    'GET /files/{name}',
    'GET /files/a-{name}.json',
    'GET /a/{x}-{y}',
    'GET /café/{who}',
    'GET /100%/x',
    'HEAD /own',
    'POST /own',
    'OPTIONS /with-options',
    'GET /constructor/{__proto__}',
  ),
);

describe('the operation that is called', () => {
  test.each([
    ['GET', '/', 'GET /'],
    ['GET', '/news', 'GET /news'],
    ['GET', '/News', '404'],
    ['GET', '/news/', 'GET /news/'],
    ['POST', '/news/', '405 GET, HEAD'],
    ['GET', '/news/5', 'GET /news/{id} id=5'],
    ['GET', '/news/5/', '404'],
    ['GET', '//news', '404'],
    ['GET', '/news/latest', 'GET /news/latest'],
    ['GET', '/n%65ws/l%61test', 'GET /news/latest'],
    ['DELETE', '/news/latest', 'DELETE /news/{id} id=latest'],
    ['PUT', '/news/latest', '405 DELETE, GET, HEAD'],
    ['PUT', '/news/latest/comment/7', 'PUT /news/{id}/comment/{comment} id=latest comment=7'],
    ['PUT', '/news/latest/comment/x', 'PUT /news/{id}/comment/{comment} id=latest comment=x'],
    ['HEAD', '/news/5', 'GET /news/{id} id=5'],
    ['HEAD', '/own', 'HEAD /own'],
    ['GET', '/own', '405 HEAD, POST'],
    ['OPTIONS', '/news', '405 GET, HEAD, POST'],
    ['OPTIONS', '/with-options', 'OPTIONS /with-options'],
    ['OPTIONS', '*', '404'],
    ['GET', '/news/a%2Fb', 'GET /news/{id} id=a/b'],
    ['GET', '/news/a+b', 'GET /news/{id} id=a+b'],
    ['GET', '/news/%C5%BElu%C5%A5', 'GET /news/{id} id=žluť'],
    ['GET', '/news/%2e%2e', 'GET /news/{id} id=..'],
    ['GET', '/news%2F5', '404'],
    ['GET', '/files/x.json', 'GET /files/{name}.json name=x'],
    ['GET', '/files/.json', 'GET /files/{name} name=.json'],
    ['GET', '/files/a-b.json', 'GET /files/a-{name}.json name=b'],
    ['GET', '/files/x.xml', 'GET /files/{name} name=x.xml'],
    ['GET', '/a/1-2-3', 'GET /a/{x}-{y} x=1 y=2-3'],
    ['GET', '/a/-2', '404'],
    ['GET', '/a/--', '404'],
    ['GET', '/a/---', 'GET /a/{x}-{y} x=- y=-'],
    ['GET', '/caf%C3%A9/x', 'GET /café/{who} who=x'],
    ['GET', '/100%25/x', 'GET /100%/x'],
    ['GET', '/constructor/x', 'GET /constructor/{__proto__} __proto__=x'],
    ['GET', '/toString', '404'],
  ])('%s %s: %s', (method, path, response) => {
    expect(shown(router.find(method, path))).toBe(response);
  });

  test.each(['/news/%', '/news/%zz', '/%C5/x', '/nothing/%ff', '/news/%C0%AF'])(
    '%s is not percent-encoded UTF-8: 400',
    (path) => {
      expect(() => router.find('GET', path)).toThrow(ServiceError);
    },
  );
});

test.each([['GET /a/{x}', 'GET /a/{y}'], ['GET /a/{x}{y}'], ['GET /a/{}'], ['GET /a/{x'], ['GET a']])(
  'what the compiler refuses is a bug here: %s',
  (...names) => {
    expect(() => createRouter(routes(...names))).toThrow(Error);
  },
);

test('property: the router agrees with trying every route in turn', () => {
  const segment = fc.constantFrom('a', 'b', 'a-b', '{x}', '{x}-{y}', 'a-{x}', '{x}.b', '');
  const path = fc.array(segment, { minLength: 1, maxLength: 3 }).map((all) => `/${all.join('/')}`);
  const name = fc.tuple(fc.constantFrom('GET', 'POST'), path).map((both) => both.join(' '));
  const asked = fc.array(fc.constantFrom('a', 'b', 'a-b', '-', 'c', '', 'c.b', 'a-b-c', 'a-c.b'), {
    minLength: 1,
    maxLength: 3,
  });
  fc.assert(
    fc.property(
      fc.uniqueArray(name, { maxLength: 12, selector: shape }),
      fc.constantFrom('GET', 'POST', 'HEAD'),
      asked,
      (names, method, segments) => {
        const all = routes(...names);
        const url = `/${segments.join('/')}`;
        expect(shown(createRouter(all).find(method, url))).toBe(naive(all, method, segments));
      },
    ),
    { numRuns: runs(313, 5000) },
  );
});

function shape(name: string): string {
  return name.replaceAll(/\{\w+\}/g, '{}');
}

/** Tries every route, best first, segment by segment: constants, then the longest constant text, then whole parameters. */
function naive(all: readonly Route[], method: string, segments: readonly string[]): string {
  const matching = all.flatMap((route) => {
    const match = expression(route.path).exec(`/${segments.join('/')}`);
    return match ? [{ route, values: match.slice(1) }] : [];
  });
  const best = matching
    .filter(({ route }) => route.method === method || (method === 'HEAD' && route.method === 'GET'))
    .sort((a, b) => compareRanks(ranks(a.route.path), ranks(b.route.path)))[0];
  if (best) {
    const names = [...best.route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
    return shown({ route: best.route, names, values: best.values, allow: [] });
  }
  const allow = new Set(matching.map(({ route }) => route.method));
  if (allow.has('GET')) allow.add('HEAD');
  return shown({ route: undefined, names: [], values: [], allow: [...allow].sort() });
}

function expression(path: string): RegExp {
  const source = path
    .split(/(\{\w+\})/)
    .map((part) => (part.startsWith('{') ? '([^/]+?)' : part.replaceAll(/[.-]/g, '\\$&')));
  return new RegExp(`^${source.join('')}$`);
}

/** A sortable rank for each segment: constants first, then the longest constant text, then alphabetical order. */
function ranks(path: string): string[] {
  return path.split('/').map((segment) => {
    const constant = segment.replaceAll(/\{\w+\}/g, '');
    return segment === constant ? '' : `${String(9000 - constant.length)} ${shape(segment)}`;
  });
}

function compareRanks(a: readonly string[], b: readonly string[]): number {
  for (const [index, rank] of a.entries()) {
    const other = b[index] ?? '';
    if (rank !== other) return rank < other ? -1 : 1;
  }
  return 0;
}

describe('the modules of operations', () => {
  test('are loaded one after the other, and each once', async () => {
    const loaded: string[] = [];
    const loading = (path: string): Route => ({
      method: 'GET',
      path,
      async load() {
        loaded.push(`begin ${path}`);
        await Promise.resolve();
        loaded.push(`end ${path}`);
        return { handler };
      },
    });
    const lazy = createRouter([loading('/a'), { method: 'GET', path: '/b', handler }, loading('/c')]);
    const { route } = lazy.find('GET', '/c');
    expect(route?.handler).toBeUndefined();
    expect(await route?.load()).toBe(handler);
    await lazy.load();
    await lazy.load();
    expect(await lazy.find('GET', '/b').route?.load()).toBe(handler);
    expect(loaded).toEqual(['begin /c', 'end /c', 'begin /a', 'end /a']);
    expect(['/a', '/b', '/c'].map((path) => lazy.find('GET', path).route?.handler)).toEqual([
      handler,
      handler,
      handler,
    ]);
  });

  test.each<[string, OperationModule]>([
    ['without a handler', {}],
    ['with something besides', { handler, other: handler }],
  ])('%s end the load', async (_, module) => {
    const lazy = createRouter([{ method: 'GET', path: '/a', load: () => Promise.resolve(module) }]);
    await expect(lazy.load()).rejects.toThrow('the module of GET /a exports its handler and nothing else');
  });
});
