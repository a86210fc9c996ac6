/** The log-ins of five public backends (miniflux, traduora, umami, Lemmy, Snipe-IT) by configuration alone: what their clients send, with the statuses and fields of the originals. Contents of tokens are not compared. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DatabaseKind } from '../helpers/service-fixture.js';
import { startSuite, suiteFile, type SuiteRun } from './suite-service.js';

interface Answer {
  readonly status: number;
  /** Parsed if it is JSON, otherwise the text. */
  readonly body: unknown;
  readonly headers: Headers;
}

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>>;
}

/** Starts the service of a backend for the tests of a `describe`; the result sends a request such as `GET /me`, without following redirects. */
function backend(
  id: string,
  environment: Readonly<Record<string, string>> = {},
  database: DatabaseKind = 'postgresql',
): (request: string, sent?: Sent) => Promise<Answer> {
  let run: SuiteRun;
  beforeAll(async () => {
    run = await startSuite({
      ...{ id: `login-${id}`, database, environment },
      config: suiteFile('logins', id, 'config.yaml'),
      description: suiteFile('logins', id, 'openapi.yaml'),
      schema: suiteFile('logins', id, 'schema.sql'),
      seed: suiteFile('logins', id, 'seed.sql'),
    });
  });
  afterAll(async () => {
    await run.stop();
  });
  return async (request, { headers = {}, json, form } = {}) => {
    const [method = '', path = ''] = request.split(' ');
    const body = json === undefined ? form && new URLSearchParams(form) : JSON.stringify(json);
    const response = await fetch(`${run.url}${path}`, {
      method,
      redirect: 'manual',
      headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    return { status: response.status, body: isJson ? JSON.parse(text) : text, headers: response.headers };
  };
}

/** A browser that shows pages of the service: it keeps cookies, and sends the fields of the form of the last page. */
class Browser {
  readonly #send: (request: string, sent?: Sent) => Promise<Answer>;
  readonly #cookies = new Map<string, string>();
  #fields: Record<string, string> = {};

  constructor(send: (request: string, sent?: Sent) => Promise<Answer>) {
    this.#send = send;
  }

  /** All cookies as a header. */
  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  set cookie(header: string) {
    const [name = '', value = ''] = header.split('=', 2);
    this.#cookies.set(name, value);
  }

  show(path: string): Promise<Answer> {
    return this.#exchange(`GET ${path}`, { headers: this.#headers('none') });
  }

  submit(path: string, fields: Readonly<Record<string, string>>): Promise<Answer> {
    const form = { ...this.#fields, ...fields };
    return this.#exchange(`POST ${path}`, { headers: this.#headers('same-origin'), form });
  }

  #headers(site: string): Record<string, string> {
    return { 'sec-fetch-site': site, ...(this.cookie !== '' && { cookie: this.cookie }) };
  }

  async #exchange(request: string, sent: Sent): Promise<Answer> {
    const answer = await this.#send(request, sent);
    for (const header of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? [];
      if (header.includes('Max-Age=0;')) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    if (typeof answer.body === 'string')
      this.#fields = Object.fromEntries(
        [...answer.body.matchAll(/<input type='hidden' name='(\w+)' value='([^']*)'/g)].map(
          ([, name = '', value = '']) => [name, value],
        ),
      );
    return answer;
  }
}

/** The status, and where the client goes on or what it reads. */
function seen({ status, body, headers }: Answer): unknown {
  const location = headers.get('location');
  return location === null ? { status, body } : { status, location };
}

const aText = expect.stringMatching(/^.{20,}$/) as string;

describe('miniflux', () => {
  const send = backend('miniflux');
  const unauthorized = { status: 401, body: { error_message: 'access unauthorized' } };
  const page = (text: string): unknown => ({ status: 200, body: expect.stringContaining(text) as string });

  function me(headers: Record<string, string>): Promise<Answer> {
    return send('GET /v1/me', { headers });
  }

  function basic(user: string, password: string): Record<string, string> {
    return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
  }

  test('programs log in with a password or an API key', async () => {
    const user = {
      ...{ id: 1, username: 'admin', theme: 'light_serif', language: 'en_US', timezone: 'UTC' },
      ...{
        entry_sorting_direction: 'asc',
        entry_sorting_order: 'published_at',
        stylesheet: '',
        custom_js: '',
      },
      ...{ external_font_hosts: '', google_id: '', openid_connect_id: '', entries_per_page: 100 },
      ...{ gesture_nav: 'tap', last_login_at: null, display_mode: 'standalone', default_reading_speed: 265 },
      ...{ cjk_reading_speed: 500, default_home_page: 'unread', categories_sorting_order: 'unread_count' },
      ...{ media_playback_rate: 1, block_filter_entry_rules: '', keep_filter_entry_rules: '' },
      ...{ mark_read_on_view: true, mark_read_on_media_player_completion: false },
      ...{ always_open_external_links: false, open_external_links_in_new_tab: true },
      ...{ keyboard_shortcuts: true, show_reading_time: true, entry_swipe: true, is_admin: true },
    };
    const key = '0123456789abcdef'.repeat(4);
    expect(seen(await me(basic('admin', 'test123456')))).toEqual({ status: 200, body: user });
    expect(seen(await me(basic('Admin', 'test123456')))).toEqual({ status: 200, body: user });
    expect(seen(await me({ 'x-auth-token': key }))).toEqual({ status: 200, body: user });
    expect(seen(await me({ 'x-auth-token': `${key}0` }))).toEqual(unauthorized);
  });

  test.each([
    ['a wrong password', basic('admin', 'test1234567')],
    ['an empty password', basic('admin', '')],
    ['an unknown user', basic('nobody', 'test123456')],
    ['nothing', {}],
  ])('programs with %s are refused', async (_, headers) => {
    const answer = await me(headers);
    expect(seen(answer)).toEqual(unauthorized);
    expect(answer.headers.get('www-authenticate')).toContain('Basic realm=');
  });

  test('browsers log in by the form, see their page, and log out', async () => {
    const browser = new Browser(send);
    expect(seen(await browser.show('/unread'))).toEqual({
      ...{ status: 302, location: '/?redirect_url=%2Funread' },
    });
    expect(seen(await browser.show('/'))).toEqual(page("name='username'"));
    const refused = await browser.submit('/login', { username: 'admin', password: 'wrong' });
    expect(seen(refused)).toEqual(page('Invalid username or password.'));
    expect(browser.cookie).toBe('');
    const right = { username: 'Admin', password: 'test123456' };
    expect(seen(await browser.submit('/login', right))).toEqual({ status: 302, location: '/unread' });
    expect(browser.cookie).toMatch(/^MinifluxSessionID=[^.]+\.[^.]+$/);
    expect(seen(await browser.show('/unread'))).toEqual(page('Logout'));
    expect(seen(await browser.show('/'))).toEqual({ status: 302, location: '/unread' });
    const session = browser.cookie;
    expect(seen(await browser.submit('/logout', {}))).toEqual({ status: 302, location: '/' });
    browser.cookie = session;
    expect(seen(await browser.show('/unread'))).toMatchObject({ status: 302, location: '/' });
    expect(seen(await browser.show('/'))).toMatchObject({ status: 302, location: '/' });
    expect(seen(await browser.show('/'))).toEqual(page("name='username'"));
  });
});

describe('traduora', () => {
  const send = backend('traduora', { TOKEN_KEY: 'a key of the tests that nobody else has' }, 'mariadb');
  const password = 'mysupersecretpassword';
  const granted = {
    ...{ status: 200, body: { access_token: aText, token_type: 'bearer', expires_in: '86400s' } },
  };
  const messages: Readonly<Record<string, readonly [status: number, message: string]>> = {
    BadRequest: [400, 'Your request seems to be invalid or malformed'],
    Unauthorized: [401, 'You are not authorized to access this resource'],
    NotFound: [404, 'The requested resource could not be found'],
    TooManyRequests: [429, 'You are sending too many requests, please try again later'],
  };

  function refused(code: string): unknown {
    const [status, message] = messages[code] ?? [];
    return { status, body: { error: { code, message } } };
  }

  function token(json: object): Promise<Answer> {
    return send('POST /api/v1/auth/token', { json });
  }

  async function me(of: object): Promise<unknown> {
    const { access_token } = (await token(of)).body as { access_token: string };
    return seen(await send('GET /api/v1/users/me', { headers: { authorization: `Bearer ${access_token}` } }));
  }

  test('a user has a token by the password, and a client by its secret', async () => {
    const user = { grant_type: 'password', username: 'e2e@test.com', password };
    expect(seen(await token(user))).toEqual(granted);
    const client_id = '2c1f0a52-11a6-4b11-9a53-1f9d9b6c0002';
    const client = { grant_type: 'client_credentials', client_id, client_secret: 'a client secret' };
    expect(seen(await token(client))).toEqual(granted);
    expect(await me(user)).toEqual({
      status: 200,
      body: {
        data: {
          ...{ id: '2c1f0a52-11a6-4b11-9a53-1f9d9b6c0001', name: 'End to End Tester' },
          ...{ email: 'e2e@test.com', numProjectsCreated: 0 },
        },
      },
    });
    expect(await me(client)).toEqual(refused('Unauthorized'));
    expect(seen(await token({ ...client, client_secret: 'another secret' }))).toEqual(
      refused('Unauthorized'),
    );
    expect(seen(await token({ ...client, client_id: 'unknown' }))).toEqual(refused('NotFound'));
  });

  test.each([
    [{ grant_type: 'password', username: 'e2e@test.com', password: '' }],
    [{ grant_type: 'password', username: '', password }],
    [{ grant_type: 'password', username: 'e2e@test.com' }],
    [{ grant_type: 'client_credentials', username: 'e2e@test.com', password }],
    [{ grant_type: 'other', username: 'e2e@test.com', password }],
    [{ username: 'e2e@test.com', password }],
  ])('%j is a bad request', async (body) => {
    expect(seen(await token(body))).toEqual(refused('BadRequest'));
  });

  test('the fourth attempt after three wrong passwords is refused, right or wrong', async () => {
    const guess = { grant_type: 'password', username: 'guessed@test.com', password: 'guessed password' };
    for (let attempt = 0; attempt < 3; attempt++)
      expect(seen(await token(guess))).toEqual(refused('Unauthorized'));
    expect(seen(await token(guess))).toEqual(refused('TooManyRequests'));
  });

  test.each(['', 'Bearer none', 'Bearer a.b.c'])('%j is no token', async (authorization) => {
    const headers = authorization === '' ? {} : { authorization };
    expect(seen(await send('GET /api/v1/users/me', { headers }))).toEqual(refused('Unauthorized'));
  });
});

describe('umami', () => {
  const send = backend('umami', { APP_SECRET: 'a secret of the tests that nobody else has' });
  const user = {
    ...{ id: '41e2b680-648e-4b09-bcd7-3e2b10c06264', username: 'admin', role: 'admin', isAdmin: true },
    createdAt: expect.stringMatching(/^2026-01-02T03:04:05(\.000)?Z$/) as string,
    teams: [{ id: '5a9e4bbd-0000-4000-8000-000000000001', name: 'Editors', logoUrl: null }],
  };
  const unauthorized = (code: string): unknown => ({
    ...{ status: 401, body: { error: { message: 'Unauthorized', code, status: 401 } } },
  });

  function logIn(username: string, password: string): Promise<Answer> {
    return send('POST /api/auth/login', { json: { username, password } });
  }

  /** Its client sends the type of a body without a body. */
  function post(path: string, token?: string): Promise<Answer> {
    const authorization = token === undefined ? undefined : { authorization: `Bearer ${token}` };
    return send(`POST ${path}`, { headers: { 'content-type': 'application/json', ...authorization } });
  }

  test('a user logs in, is known, and logs out', async () => {
    const answer = await logIn('admin', 'umami');
    expect(seen(answer)).toEqual({ status: 200, body: { token: aText, user } });
    const { token } = answer.body as { token: string };
    expect(seen(await post('/api/auth/verify', token))).toEqual({ status: 200, body: user });
    expect(seen(await post('/api/auth/logout', token))).toEqual({ status: 200, body: { ok: true } });
  });

  test('a wrong password, an unknown and a deleted user are the same', async () => {
    const refused = unauthorized('incorrect-username-password');
    expect(seen(await logIn('admin', 'Umami'))).toEqual(refused);
    expect(seen(await logIn('nobody', 'umami'))).toEqual(refused);
    expect(seen(await logIn('former', 'umami'))).toEqual(refused);
  });

  test('a log-in without a password is a bad request', async () => {
    expect(seen(await send('POST /api/auth/login', { json: { username: 'admin' } }))).toMatchObject({
      status: 400,
      body: { error: { message: 'Bad request', code: 'bad-request', status: 400 } },
    });
  });

  test.each(['verify', 'logout'])('%s needs a token', async (name) => {
    expect(seen(await post(`/api/auth/${name}`))).toEqual(unauthorized('unauthorized'));
    expect(seen(await post(`/api/auth/${name}`, 'none'))).toEqual(unauthorized('unauthorized'));
  });
});

describe('Lemmy', () => {
  const send = backend('lemmy');
  const notLoggedIn = { status: 400, error: 'not_logged_in' };

  function logIn(username_or_email: string, password = 'lemmylemmy'): Promise<Answer> {
    return send('POST /api/v3/user/login', { json: { username_or_email, password } });
  }

  function as(jwt: string | undefined, request: string): Promise<Answer> {
    const headers = {
      'user-agent': 'lemmy-ui',
      ...(jwt !== undefined && { authorization: `Bearer ${jwt}` }),
    };
    return send(request, { headers });
  }

  function refusal({ status, body }: Answer): unknown {
    return { status, error: (body as { error: string }).error };
  }

  test('a user logs in by name or address, is known, and logs out', async () => {
    const answer = await logIn('alpha');
    expect(seen(answer)).toEqual({
      status: 200,
      body: { jwt: aText, registration_created: false, verify_email_sent: false },
    });
    const { jwt } = answer.body as { jwt: string };
    const other = ((await logIn('Alpha@Example.com')).body as { jwt: string }).jwt;
    const success = { status: 200, body: { success: true } };
    expect(seen(await as(jwt, 'GET /api/v3/user/validate_auth'))).toEqual(success);
    const login = { user_id: 1, published: expect.stringMatching(/Z$/) as string, ip: '127.0.0.1' };
    expect(seen(await as(jwt, 'GET /api/v3/user/list_logins'))).toMatchObject({
      ...{ status: 200, body: [login, login] },
    });
    expect(seen(await as(jwt, 'POST /api/v3/user/logout'))).toEqual(success);
    expect(refusal(await as(jwt, 'GET /api/v3/user/validate_auth'))).toEqual(notLoggedIn);
    expect(seen(await as(other, 'GET /api/v3/user/validate_auth'))).toEqual(success);
  });

  test('a wrong password and an unknown name are the same', async () => {
    const refused = { status: 401, error: 'incorrect_login' };
    expect(refusal(await logIn('alpha', 'lemmylemmY'))).toEqual(refused);
    expect(refusal(await logIn('nobody'))).toEqual(refused);
  });

  test.each([
    ['Banned', 'site_ban'],
    ['Pending', 'registration_application_is_pending'],
  ])('%s learns it with the right password alone', async (name, error) => {
    expect(refusal(await logIn(name))).toEqual({ status: 400, error });
    expect(refusal(await logIn(name, 'wrong'))).toEqual({ status: 401, error: 'incorrect_login' });
  });

  test.each(['GET /api/v3/user/validate_auth', 'GET /api/v3/user/list_logins', 'POST /api/v3/user/logout'])(
    '%s needs a log-in',
    async (request) => {
      expect(refusal(await as(undefined, request))).toEqual(notLoggedIn);
      expect(refusal(await as('none', request))).toEqual(notLoggedIn);
    },
  );
});

describe('Snipe-IT', () => {
  const send = backend('snipe-it', {}, 'mariadb');
  const me = 'GET /api/v1/users/me';
  const tokens = '/api/v1/account/personal-access-tokens';
  const unauthenticated = { status: 401, body: { error: 'Unauthorized or unauthenticated.' } };
  const page = (text: string): unknown => ({ status: 200, body: expect.stringContaining(text) as string });
  const user = {
    ...{ id: 1, name: 'Alison Gianotto', first_name: 'Alison', last_name: 'Gianotto', username: 'snipe' },
    ...{
      email: 'snipe@example.com',
      locale: 'en-US',
      employee_num: null,
      jobtitle: 'Owner',
      activated: true,
    },
  };

  async function logIn(): Promise<Browser> {
    const browser = new Browser(send);
    await browser.show('/login');
    const right = { username: 'snipe', password: 'password' };
    expect(seen(await browser.submit('/login', right))).toEqual({ status: 302, location: '/' });
    return browser;
  }

  test('browsers log in by the form, see their page, and log out', async () => {
    const browser = await logIn();
    expect(seen(await browser.show('/'))).toEqual(page('Dashboard'));
    const session = browser.cookie;
    expect(seen(await send(me, { headers: { cookie: session } }))).toMatchObject({ status: 200, body: user });
    expect(seen(await browser.submit('/logout', {}))).toEqual({ status: 302, location: '/login' });
    expect(browser.cookie).toBe('');
    expect(seen(await browser.show('/'))).toEqual({ status: 302, location: '/login' });
    browser.cookie = session;
    expect(seen(await browser.show('/'))).toEqual({ status: 302, location: '/login' });
    expect(seen(await send(me, { headers: { cookie: session } }))).toEqual(unauthenticated);
  });

  test.each([
    ['snipe', 'Password'],
    ['nobody', 'password'],
    ['former', 'password'],
  ])('%s with %s comes back to the form, which says so once', async (username, password) => {
    const browser = new Browser(send);
    await browser.show('/login');
    expect(seen(await browser.submit('/login', { username, password }))).toEqual({
      ...{ status: 302, location: '/login' },
    });
    expect(seen(await browser.show('/login'))).toEqual(page('The username or password is incorrect.'));
    expect((await browser.show('/login')).body).not.toContain('incorrect');
    expect(seen(await browser.show('/'))).toEqual({ status: 302, location: '/login' });
  });

  test('programs have tokens, which can be revoked', async () => {
    const { cookie } = await logIn();
    const created = await send(`POST ${tokens}`, {
      headers: { cookie, 'sec-fetch-site': 'same-origin' },
      json: { name: 'inventory' },
    });
    expect(seen(created)).toEqual({
      status: 200,
      body: {
        status: 'success',
        messages: 'Personal API Key inventory created sucessfully',
        payload: { id: aText, token: aText, name: 'inventory' },
      },
    });
    const { id, token } = (created.body as { payload: { id: string; token: string } }).payload;
    const headers = { authorization: `Bearer ${token}` };
    expect(seen(await send(me, { headers }))).toMatchObject({ status: 200, body: user });
    expect((await send(`DELETE ${tokens}/none`, { headers })).status).toBe(404);
    expect(seen(await send(`DELETE ${tokens}/${id}`, { headers }))).toEqual({ status: 204, body: '' });
    expect(seen(await send(me, { headers }))).toEqual(unauthenticated);
    expect(seen(await send(me, { headers: { authorization: `Bearer ${id}` } }))).toEqual(unauthenticated);
    expect(seen(await send(me))).toEqual(unauthenticated);
  });
});
