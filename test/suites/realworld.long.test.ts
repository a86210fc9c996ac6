/**
 * Conduit, the API of RealWorld, without user code: the assertions of its current suite (realworld-apps/realworld, specs/api), rewritten. Every token is issued by the service, unless it must be refused. `REALWORLD_SPECS=<folder>` also runs the original
 * suite (`hurl/*.hurl` in that folder), and compares the responses with its `openapi.yml`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { claims, sign } from '../runtime/jwt/issuer.js';
import { Contract } from './contract.js';
import { runHurl } from './hurl.js';
import { startSuite, suiteFile, type SuiteRun } from './suite-service.js';

const description = suiteFile('realworld', 'openapi.yaml');
const contract = new Contract(description);
const key = 'a key of the tests that nobody else has';
let run: SuiteRun;

beforeAll(async () => {
  run = await startSuite({
    ...{ id: 'realworld', description, config: suiteFile('realworld', 'config.yaml') },
    ...{ schema: suiteFile('realworld', 'schema.sql'), environment: { TOKEN_KEY: key } },
  });
  for (const name of ['ada', 'ben', 'eva']) tokens.set(name, await register(name));
});

afterAll(async () => {
  await run.stop();
});

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Tokens by user name. */
const tokens = new Map<string, string>();
const aToken = expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) as string;

/** Sends a request with the token of a user, with any other token, or anonymously; the response is compared with the description. */
async function send(request: string, { as, body }: { as?: string; body?: object } = {}): Promise<Answer> {
  const [method = '', target = ''] = request.split(' ');
  const token = as && (tokens.get(as) ?? as);
  const response = await fetch(`${run.url}/api${target}`, {
    method,
    headers: {
      ...(token && { authorization: `Token ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const { status, headers } = response;
  const text = await response.text();
  expect(contract.violations(method, target.split('?')[0] ?? '', { status, headers, text }), request).toEqual(
    [],
  );
  return { status, body: text === '' ? undefined : JSON.parse(text) };
}

function accountOf(name: string): { username: string; email: string; password: string } {
  return { username: name, email: `${name}@example.com`, password: `of ${name}` };
}

function tokenIn({ body }: Answer): string {
  return (body as { user: { token: string } }).user.token;
}

/** Registers a new user, and returns the token. */
async function register(name: string): Promise<string> {
  const { password: _, ...account } = accountOf(name);
  const answer = await send('POST /users', { body: { user: accountOf(name) } });
  expect(answer).toEqual({
    status: 201,
    body: { user: { ...account, bio: null, image: null, token: aToken } },
  });
  return tokenIn(answer);
}

function logIn(user: object): Promise<Answer> {
  return send('POST /users/login', { body: { user } });
}

/** Creates an article by Ada; returns its slug. */
async function write(title: string, more: object = {}): Promise<string> {
  const article = { title, description: 'about', body: 'text', ...more };
  const { status, body } = await send('POST /articles', { as: 'ada', body: { article } });
  expect(status).toBe(201);
  return (body as { article: { slug: string } }).article.slug;
}

const timestamp = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/) as string;
const missingToken = { status: 401, body: { errors: { token: ['is missing'] } } };
const notFound = (what: string): Answer => ({ status: 404, body: { errors: { [what]: ['not found'] } } });
const forbidden = (what: string): Answer => ({ status: 403, body: { errors: { [what]: ['forbidden'] } } });
const blank = (field: string): Answer => ({ status: 422, body: { errors: { [field]: ["can't be blank"] } } });

const wrongLogIn = { status: 401, body: { errors: { credentials: ['invalid'] } } };
const isTaken = (field: string): Answer => ({
  status: 409,
  body: { errors: { [field]: ['has already been taken'] } },
});

describe('accounts', () => {
  test('the password of an account gives a token of its own, in which its name is not', async () => {
    const { email, password } = accountOf('ada');
    const answer = await logIn({ email, password });
    expect(answer).toEqual({
      status: 200,
      body: { user: { username: 'ada', email, bio: null, image: null, token: aToken } },
    });
    const token = tokenIn(answer);
    expect(await send('GET /user', { as: token })).toEqual(answer);
    const [header, content] = token.split('.', 2).map((part) => Buffer.from(part, 'base64url').toString());
    expect(JSON.parse(header ?? '')).toEqual({ alg: 'HS256', typ: 'JWT' });
    expect(content).not.toContain('ada');
  });

  test('a wrong password, one of somebody else and an unknown address are the same', async () => {
    const { email, password } = accountOf('ada');
    expect(await logIn({ email, password: `${password} ` })).toEqual(wrongLogIn);
    expect(await logIn({ email, password: accountOf('ben').password })).toEqual(wrongLogIn);
    expect(await logIn({ email: 'nobody@example.com', password })).toEqual(wrongLogIn);
    expect(await logIn({ email: "' OR true --", password })).toEqual(wrongLogIn);
  });

  test.each(['username', 'email'])('%s cannot be that of somebody else', async (field) => {
    const user = {
      ...accountOf('new'),
      [field]: Object.entries(accountOf('ada')).find(([key]) => key === field)?.[1],
    };
    expect(await send('POST /users', { body: { user } })).toEqual(isTaken(field));
    expect(await logIn(accountOf('new'))).toEqual(wrongLogIn);
  });

  test('of two concurrent ones with the same name, one gets the account', async () => {
    const answers = await Promise.all(
      ['first', 'second', 'third', 'fourth'].map((password) =>
        send('POST /users', { body: { user: { ...accountOf('twin'), password } } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
  });

  test.each(['username', 'email', 'password'])('%s cannot be blank, null or missing', async (field) => {
    const create = (value?: unknown) =>
      send('POST /users', { body: { user: { ...accountOf('blank'), [field]: value } } });
    expect(await create('')).toEqual(blank(field));
    for (const value of [null, undefined])
      expect(await create(value)).toMatchObject({
        status: 422,
        body: { errors: { [field]: [expect.any(String)] } },
      });
  });

  test.each(['email', 'password'])('nobody logs in without %s', async (field) => {
    const { username: _, ...user } = accountOf('ada');
    expect(await logIn({ ...user, [field]: '' })).toEqual(blank(field));
    expect((await logIn({ ...user, [field]: undefined })).status).toBe(422);
  });

  test('a new password replaces the old one; other changes keep it', async () => {
    const { email, password } = accountOf('changing');
    const as = await register('changing');
    await send('PUT /user', { as, body: { user: { bio: 'potter' } } });
    expect((await logIn({ email, password })).status).toBe(200);
    expect((await send('PUT /user', { as, body: { user: { password: 'new words' } } })).status).toBe(200);
    expect(await logIn({ email, password })).toEqual(wrongLogIn);
    const again = await logIn({ email, password: 'new words' });
    expect(again).toMatchObject({ status: 200, body: { user: { bio: 'potter' } } });
  });
});

test('a changed password has at least 8 characters', async () => {
  const as = await register('short');
  const change = (password: unknown) => send('PUT /user', { as, body: { user: { password } } });
  for (const password of ['', 'short7c', null])
    expect(await change(password)).toEqual({
      status: 422,
      body: { errors: { password: [expect.any(String)] } },
    });
  for (const password of ['8letters', 'a'.repeat(64)]) {
    expect((await change(password)).status).toBe(200);
    expect((await logIn({ email: accountOf('short').email, password })).status).toBe(200);
  }
});

describe('who calls', () => {
  test.each([
    ['GET /user'],
    ['PUT /user', { user: { bio: 'new' } }],
    ['POST /profiles/ben/follow'],
    ['DELETE /profiles/ben/follow'],
    ['GET /articles/feed'],
    ['POST /articles', { article: { title: 'No', description: 'one', body: 'wrote it' } }],
    ['PUT /articles/some-slug', { article: { body: 'new' } }],
    ['DELETE /articles/some-slug'],
    ['POST /articles/some-slug/favorite'],
    ['DELETE /articles/some-slug/favorite'],
    ['POST /articles/some-slug/comments', { comment: { body: 'new' } }],
    ['DELETE /articles/some-slug/comments/1'],
  ])('%s needs a token', async (request, body?: object) => {
    expect(await send(request, { ...(body && { body }) })).toEqual(missingToken);
  });

  test('a token of another issuer or key, without a signature or of another scheme is no token, also where none is needed', async () => {
    const { iss, aud, sub } = JSON.parse(
      Buffer.from((tokens.get('ada') ?? '').split('.')[1] ?? '', 'base64url').toString(),
    ) as Record<string, string>;
    const signed = (own: object, text = key, alg = 'HS256') =>
      sign(
        { alg, kid: 'any', privateKey: new TextEncoder().encode(text) },
        claims({ iss, aud, sub, ...own }),
      );
    const right = await signed({});
    expect((await send('GET /user', { as: right })).status).toBe(200);
    const [, content = ''] = right.split('.');
    for (const authorization of [
      `Token ${await signed({ iss: 'other' })}`,
      `Token ${await signed({ aud: 'other' })}`,
      `Token ${await signed({ exp: Math.floor(Date.now() / 1000) - 60 })}`,
      `Token ${await signed({}, `${key}.`)}`,
      `Token ${Buffer.from('{"alg":"none"}').toString('base64url')}.${content}.`,
      `Bearer ${right}`,
      'Token none',
    ]) {
      for (const path of ['user', 'articles']) {
        const response = await fetch(`${run.url}/api/${path}`, { headers: { authorization } });
        expect([response.status, await response.json()]).toEqual([401, missingToken.body]);
      }
    }
  });

  test('the user has the token that was sent', async () => {
    expect(await send('GET /user', { as: 'ben' })).toEqual({
      status: 200,
      body: {
        user: { username: 'ben', email: 'ben@example.com', bio: null, image: null, token: tokens.get('ben') },
      },
    });
  });

  test('the user changes what is sent and nothing else; an empty text is null', async () => {
    const change = async (user: object): Promise<unknown> =>
      ((await send('PUT /user', { as: 'eva', body: { user } })).body as { user: unknown }).user;
    expect(await change({ bio: 'potter', image: 'https://example.com/eva.png' })).toMatchObject({
      username: 'eva',
      bio: 'potter',
      image: 'https://example.com/eva.png',
    });
    expect(await change({ email: 'eva@example.net' })).toMatchObject({
      email: 'eva@example.net',
      bio: 'potter',
    });
    expect(await change({ bio: '' })).toMatchObject({ bio: null, image: 'https://example.com/eva.png' });
    expect(await change({ image: null })).toMatchObject({ image: null, email: 'eva@example.net' });
  });

  test.each([{ email: null }, { username: null }, { email: '' }, { username: '' }])(
    'a user cannot be %j',
    async (user) => {
      const { status, body } = await send('PUT /user', { as: 'ada', body: { user } });
      expect(status).toBe(422);
      expect(body).toEqual({ errors: { [Object.keys(user)[0] ?? '']: [expect.any(String)] } });
    },
  );

  test('a name that somebody else has is 409', async () => {
    expect((await send('PUT /user', { as: 'ada', body: { user: { username: 'ben' } } })).status).toBe(409);
  });
});

describe('profiles', () => {
  const profile = (following: boolean): Answer => ({
    status: 200,
    body: { profile: { username: 'ben', bio: null, image: null, following } },
  });

  test('following is seen by who follows, and by nobody else', async () => {
    expect(await send('GET /profiles/ben')).toEqual(profile(false));
    expect(await send('POST /profiles/ben/follow', { as: 'ada' })).toEqual(profile(true));
    expect(await send('POST /profiles/ben/follow', { as: 'ada' })).toEqual(profile(true));
    expect(await send('GET /profiles/ben', { as: 'ada' })).toEqual(profile(true));
    expect(await send('GET /profiles/ben', { as: 'eva' })).toEqual(profile(false));
    expect(await send('DELETE /profiles/ben/follow', { as: 'ada' })).toEqual(profile(false));
    expect(await send('GET /profiles/ben', { as: 'ada' })).toEqual(profile(false));
  });

  test.each(['GET /profiles/nobody', 'POST /profiles/nobody/follow', 'DELETE /profiles/nobody/follow'])(
    '%s',
    async (request) => {
      expect(await send(request, { as: 'ada' })).toEqual(notFound('profile'));
    },
  );
});

describe('articles', () => {
  test('one is created, read, changed and deleted', async () => {
    const article = {
      title: 'How to fire a kiln?',
      description: 'Slowly',
      body: 'Very',
      tagList: ['kiln', 'clay'],
    };
    const created = await send('POST /articles', { as: 'ada', body: { article } });
    const full = {
      ...article,
      slug: expect.stringMatching(/^how-to-fire-a-kiln-\d+$/) as string,
      ...{ createdAt: timestamp, updatedAt: timestamp, favorited: false, favoritesCount: 0 },
      author: { username: 'ada', bio: null, image: null, following: false },
    };
    expect(created).toEqual({ status: 201, body: { article: full } });
    const { slug } = (created.body as { article: { slug: string } }).article;
    expect(await send(`GET /articles/${slug}`)).toEqual({ status: 200, body: { article: full } });
    const changed = await send(`PUT /articles/${slug}`, {
      ...{ as: 'ada', body: { article: { title: 'How to cool a kiln', tagList: [] } } },
    });
    const cool = slug.replace('fire', 'cool');
    expect(changed).toEqual({
      status: 200,
      body: { article: { ...full, title: 'How to cool a kiln', slug: cool, tagList: [] } },
    });
    expect(await send(`GET /articles/${slug}`)).toEqual(notFound('article'));
    expect(await send(`DELETE /articles/${cool}`, { as: 'ada' })).toEqual({ status: 204 });
    expect(await send(`GET /articles/${cool}`)).toEqual(notFound('article'));
  });

  test('tags stay where they are not sent, and cannot be null', async () => {
    const slug = await write('Tags', { tagList: ['one', 'two'] });
    const change = (article: object) => send(`PUT /articles/${slug}`, { as: 'ada', body: { article } });
    expect(await change({ body: 'new' })).toMatchObject({
      body: { article: { body: 'new', tagList: ['one', 'two'] } },
    });
    expect(await change({ tagList: null })).toEqual({
      status: 422,
      body: { errors: { tagList: [expect.any(String)] } },
    });
    await send(`DELETE /articles/${slug}`, { as: 'ada' });
  });

  test.each(['title', 'description', 'body'])('%s cannot be blank, null or missing', async (field) => {
    const article: Record<string, unknown> = { title: 'Blank', description: 'about', body: 'text' };
    const create = () => send('POST /articles', { as: 'ada', body: { article } });
    article[field] = '';
    expect(await create()).toEqual(blank(field));
    for (const value of [null, undefined]) {
      article[field] = value;
      expect(await create()).toMatchObject({
        status: 422,
        body: { errors: { [field]: [expect.any(String)] } },
      });
    }
    expect((await send('GET /articles?author=ada')).body).toMatchObject({ articlesCount: 0 });
  });

  test('a title may be that of another article, also at the same time; each has its own slug', async () => {
    const slugs = await Promise.all([1, 2, 3].map(() => write('Same')));
    expect(new Set(slugs).size).toBe(3);
    for (const slug of slugs) await send(`DELETE /articles/${slug}`, { as: 'ada' });
  });

  test('only its author changes and deletes one', async () => {
    const slug = await write('Mine');
    const body = { article: { body: 'yours' } };
    expect(await send(`PUT /articles/${slug}`, { as: 'ben', body })).toEqual(forbidden('article'));
    expect(await send(`DELETE /articles/${slug}`, { as: 'ben' })).toEqual(forbidden('article'));
    expect(await send('PUT /articles/none', { as: 'ben', body })).toEqual(notFound('article'));
    expect(await send('DELETE /articles/none', { as: 'ben' })).toEqual(notFound('article'));
    await send(`DELETE /articles/${slug}`, { as: 'ada' });
  });
});

interface Articles {
  readonly articles: readonly { readonly slug: string; readonly favorited: boolean }[];
  readonly articlesCount: number;
}

describe('lists of articles', () => {
  /** The latest article comes first in lists. */
  const slugs: string[] = [];
  const first = () => slugs.at(-1) ?? '';
  const list = async (query: string, as?: string): Promise<Articles> =>
    (await send(`GET /articles${query}`, { ...(as && { as }) })).body as Articles;
  const slugsOf = ({ articles }: Articles): string[] => articles.map(({ slug }) => slug);

  beforeAll(async () => {
    for (const number of [1, 2, 3])
      slugs.unshift(await write(`List ${number}`, { tagList: [`tag${number}`, 'list'] }));
    await send(`POST /articles/${slugs[1] ?? ''}/favorite`, { as: 'ben' });
    await send('POST /profiles/ada/follow', { as: 'ben' });
  });

  test('the latest is the first, without its body', async () => {
    const all = await list('');
    expect(slugsOf(all)).toEqual(slugs);
    expect(all.articlesCount).toBe(3);
    expect(all.articles[0]).not.toHaveProperty('body');
  });

  test('they are filtered by tag, author and who likes them', async () => {
    expect(slugsOf(await list('?tag=tag2'))).toEqual(slugs.slice(1, 2));
    expect(await list('?tag=none')).toEqual({ articles: [], articlesCount: 0 });
    expect(slugsOf(await list('?author=ada&tag=list'))).toEqual(slugs);
    expect(slugsOf(await list('?author=ben'))).toEqual([]);
    expect(slugsOf(await list('?favorited=ben'))).toEqual(slugs.slice(1, 2));
    expect(slugsOf(await list('?favorited=ada'))).toEqual([]);
  });

  test('pages have the number of all', async () => {
    expect(await list('?limit=1')).toMatchObject({ articles: [{ slug: slugs[0] }], articlesCount: 3 });
    expect(await list('?limit=1&offset=1')).toMatchObject({
      articles: [{ slug: slugs[1] }],
      articlesCount: 3,
    });
    for (const query of ['?limit=0', '?limit=many', '?offset=-1'])
      expect((await send(`GET /articles${query}`)).status).toBe(422);
  });

  test('the feed has the articles of those whom the caller follows', async () => {
    const feed = (await send('GET /articles/feed?limit=2', { as: 'ben' })).body as Articles;
    expect(feed).toMatchObject({
      articlesCount: 3,
      articles: [{ author: { username: 'ada', following: true } }, {}],
    });
    expect((await send('GET /articles/feed', { as: 'eva' })).body).toEqual({
      articles: [],
      articlesCount: 0,
    });
  });

  test('a favorite is counted once, and is that of the caller', async () => {
    const state = async (request: string, as?: string) =>
      (await send(request, { ...(as && { as }) })).body as { article: object };
    const like = `POST /articles/${first()}/favorite`;
    expect(await state(like, 'ben')).toMatchObject({
      article: { favorited: true, favoritesCount: 1, body: 'text' },
    });
    expect(await state(like, 'ben')).toMatchObject({ article: { favoritesCount: 1 } });
    expect(await state(like, 'eva')).toMatchObject({ article: { favorited: true, favoritesCount: 2 } });
    expect(await state(`GET /articles/${first()}`)).toMatchObject({
      article: { favorited: false, favoritesCount: 2 },
    });
    expect(await state(`DELETE /articles/${first()}/favorite`, 'ben')).toMatchObject({
      article: { favorited: false, favoritesCount: 1 },
    });
    expect((await list('?tag=tag1', 'eva')).articles[0]?.favorited).toBe(true);
    for (const method of ['POST', 'DELETE'])
      expect(await send(`${method} /articles/none/favorite`, { as: 'ben' })).toEqual(notFound('article'));
  });

  test('tags are listed once', async () => {
    expect(await send('GET /tags')).toEqual({
      status: 200,
      body: { tags: ['list', 'tag1', 'tag2', 'tag3'] },
    });
  });

  describe('comments', () => {
    test('one is written, listed, and deleted by its author alone', async () => {
      const created = await send(`POST /articles/${first()}/comments`, {
        as: 'ada',
        body: { comment: { body: 'Good' } },
      });
      const comment = {
        ...{ id: expect.any(Number) as number, body: 'Good', createdAt: timestamp, updatedAt: timestamp },
        author: { username: 'ada', bio: null, image: null, following: false },
      };
      expect(created).toEqual({ status: 201, body: { comment } });
      const { id } = (created.body as { comment: { id: number } }).comment;
      const path = `/articles/${first()}/comments/${id}`;
      expect(await send(`GET /articles/${first()}/comments`)).toEqual({
        status: 200,
        body: { comments: [comment] },
      });
      expect(await send(`GET /articles/${first()}/comments`, { as: 'ben' })).toMatchObject({
        body: { comments: [{ author: { following: true } }] },
      });
      expect(await send(`DELETE ${path}`, { as: 'ben' })).toEqual(forbidden('comment'));
      expect(await send(`DELETE ${path}`, { as: 'ada' })).toEqual({ status: 204 });
      expect(await send(`DELETE ${path}`, { as: 'ada' })).toEqual(notFound('comment'));
      expect(await send(`GET /articles/${first()}/comments`)).toEqual({
        status: 200,
        body: { comments: [] },
      });
    });

    test('a comment cannot be blank, and belongs to an article', async () => {
      const body = { comment: { body: '' } };
      expect(await send(`POST /articles/${first()}/comments`, { as: 'ada', body })).toEqual(blank('body'));
      body.comment.body = 'to nobody';
      expect(await send('POST /articles/none/comments', { as: 'ada', body })).toEqual(notFound('article'));
      expect(await send('GET /articles/none/comments')).toEqual(notFound('article'));
      expect(await send('DELETE /articles/none/comments/1', { as: 'ada' })).toEqual(notFound('article'));
    });
  });
});

const specs = process.env['REALWORLD_SPECS'];
const original =
  specs === undefined ? [] : readdirSync(join(specs, 'hurl')).filter((name) => name.endsWith('.hurl'));

test.each(original)('the original suite, %s', async (name) => {
  const described = new Contract(readFileSync(join(specs ?? '', 'openapi.yml'), 'utf8'));
  const text = readFileSync(join(specs ?? '', 'hurl', name), 'utf8');
  const contradictions: string[] = [];
  const variables = { host: run.url, uid: `${Date.now()}${name.length}` };
  const { assertions, failures } = await runHurl(text, variables, ({ request, ...response }) => {
    const path = new URL(request.url).pathname.replace('/api', '');
    contradictions.push(...described.violations(request.method, path, response));
  });
  console.log(`${name}: ${assertions} assertions`);
  expect([...failures, ...contradictions]).toEqual([]);
});
