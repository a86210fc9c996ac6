/** `apikiln token` against a real `apikiln dev`: credentials of each type are accepted by its service, and by no other one. */
import { execFile } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { exportJWK, jwtVerify, SignJWT, type JWK } from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '../helpers/free-port.js';
import { Workspace, type Outcome } from '../commands/workspace.js';
import { DevProcess } from './dev-process.js';

let space: Workspace;
let running: DevProcess[] = [];
let servers: Server[] = [];
const before = process.env['TMPDIR'];

beforeEach(() => {
  space = new Workspace();
  // The folder with the files of the `dev` processes.
  process.env['TMPDIR'] = space.path('.tmp');
});
afterEach(async () => {
  await Promise.all(running.map((dev) => dev.stop()));
  for (const server of servers) server.close().closeAllConnections();
  [running, servers] = [[], []];
  if (before === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = before;
  space.remove();
});

async function started(options: Parameters<typeof DevProcess.start>[1] = {}): Promise<DevProcess> {
  const dev = await DevProcess.start(space, options);
  running.push(dev);
  await dev.until(/The service runs at/);
  return dev;
}

/** The output of `apikiln token`. */
async function printed(...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await space.run('token', ...args);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout.trimEnd();
}

async function ask(
  dev: DevProcess,
  path: string,
  header: string,
): Promise<{ status: number; body: unknown }> {
  const at = header.indexOf(':');
  const response = await fetch(`${dev.url}${path}`, {
    headers: { [header.slice(0, at)]: header.slice(at + 1).trim() },
  });
  return { status: response.status, body: await response.json() };
}

async function statusOf(dev: DevProcess, path: string, ...args: string[]): Promise<number> {
  return (await ask(dev, path, await printed(...args, '--header'))).status;
}

function configuration(authentications: string, more = ''): string {
  return `specification: '1.0'
operations:
  GET /me:
    responses: [{ name: ok, default: true, statuscode: 200, schema: { caller: CALLER() } }]
  GET /notes:
    authentications: [{ name: users, scopes: [notes] }]
    responses: [{ name: ok, default: true, statuscode: 200, schema: { caller: CALLER() } }]
${more}authentications:
${authentications}`;
}

function tokens(source: string): string {
  return `  users: { type: jwt, issuer: https://id.example, audience: notes, ${source} }\n`;
}

function contacts(): string[] {
  return readdirSync(space.path('.tmp'))
    .filter((name) => /^apikiln-\d+$/.test(name))
    .flatMap((name) => readdirSync(space.path('.tmp', name)).map((file) => space.path('.tmp', name, file)));
}

describe('a secret of tokens', () => {
  test('of .env: tokens are signed with it, with claims, scopes and an end', async () => {
    const secret = randomBytes(32).toString('hex');
    space.write('config.yaml', configuration(tokens("key: '${TOKEN_KEY}'")));
    space.write('.env', `TOKEN_KEY=${secret}\n`);
    const dev = await started();
    expect(dev.printed).not.toContain('random');

    const token = await printed('users', '--sub', '1', '--claim', 'tenant=acme', '--claim', 'roles=["a"]');
    const { payload } = await jwtVerify(token, Buffer.from(secret), {
      issuer: 'https://id.example',
      audience: 'notes',
    });
    expect(payload).toMatchObject({ sub: '1', tenant: 'acme', roles: ['a'] });
    expect(payload.exp).toBeGreaterThan(Date.now() / 1000 + 3000);
    expect(await ask(dev, '/me', `Authorization: Bearer ${token}`)).toMatchObject({
      status: 200,
      body: { caller: { sub: '1', tenant: 'acme', roles: ['a'], authentication: 'users' } },
    });

    expect(await statusOf(dev, '/notes', 'users')).toBe(403);
    expect(await statusOf(dev, '/notes', 'users', '--scope', 'other')).toBe(403);
    expect(await statusOf(dev, '/notes', 'users', '--scope', 'other', '--scope', 'notes')).toBe(200);
    expect(await statusOf(dev, '/me', 'users', '--claim', 'aud=other')).toBe(401);
    expect(await statusOf(dev, '/me', 'users', '--claim', 'exp=null')).toBe(401);
    expect(await statusOf(dev, '/me', 'users', '--expires', '-1')).toBe(401);
    await dev.until(/401 GET \/me .*credentials refused: audience[^]*claims[^]*expired/);

    const short = await printed('users', '--expires', '1s', '--header');
    while ((await ask(dev, '/me', short)).status === 200)
      await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await ask(dev, '/me', short)).status).toBe(401);
    expect(await statusOf(dev, '/me', 'users', '--expires', '10m')).toBe(200);

    for (const hidden of [secret, token, token.split('.')[2] ?? ''])
      expect(dev.printed).not.toContain(hidden);
  });

  test('without a value: random, announced once, and the same for later versions; those of two configurations differ', async () => {
    const config = configuration(tokens("key: '${TOKEN_KEY}'"));
    space.write('config.yaml', config);
    space.write('other/config.yaml', config);
    const [first, second] = [await started(), await started({ args: ['other/config.yaml'] })];
    expect(first.printed).toContain(
      "TOKEN_KEY is not set: dev uses random values until it stops, and 'apikiln token' prints credentials.\n",
    );
    expect(contacts()).toHaveLength(2);
    const [header, other] = [
      await printed('users', '--header'),
      await printed('users', 'other/config.yaml', '--header'),
    ];
    expect((await ask(first, '/me', header)).status).toBe(200);
    expect((await ask(second, '/me', other)).status).toBe(200);
    expect((await ask(first, '/me', other)).status).toBe(401);
    expect((await ask(second, '/me', header)).status).toBe(401);

    await first.save(space, 'config.yaml', config.replace('GET /notes', 'GET /all'));
    expect((await ask(first, '/me', header)).status).toBe(200);
    expect(first.printed.split('is not set')).toHaveLength(2);
    // The value of the user is used from then on.
    await first.save(space, '.env', `TOKEN_KEY=${'k'.repeat(40)}\n`);
    expect((await ask(first, '/me', header)).status).toBe(401);
    expect(await statusOf(first, '/me', 'users')).toBe(200);
    expect(await second.stop()).toBe(0);
    expect(contacts()).toHaveLength(1);
    expect(await statusOf(first, '/me', 'users')).toBe(200);
  });

  test('a variable that is also used elsewhere has no random value', async () => {
    const more =
      "datasources:\n  api: { type: rest, url: 'https://api.example.com', header: ['X-Key: ${TOKEN_KEY}'] }\n";
    space.write('config.yaml', configuration(tokens("key: '${TOKEN_KEY}'"), more));
    const dev = await DevProcess.start(space);
    running.push(dev);
    await dev.until(/TOKEN_KEY is not set; [^]*Set the variables in/);
    const { status, stderr } = await space.run('token', 'users');
    expect({ status, stderr }).toEqual({
      status: 4,
      stderr: 'The service has not started yet: the terminal of apikiln dev shows why.\n',
    });
  });
});

interface Issuer {
  readonly pem: string;
  readonly jwk: JWK;
  readonly header: () => Promise<string>;
}

/** A provider with a key of its own. */
async function issuer(): Promise<Issuer> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    pem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    jwk: { ...(await exportJWK(publicKey)), kid: 'provider', alg: 'ES256', use: 'sig' },
    header: async () => {
      const token = await new SignJWT({ sub: 'ada' })
        .setProtectedHeader({ alg: 'ES256', kid: 'provider' })
        .setIssuer('https://id.example')
        .setAudience('notes')
        .setExpirationTime('1h')
        .sign(privateKey);
      return `Authorization: Bearer ${token}`;
    },
  };
}

describe('public keys of an issuer', () => {
  test('a key: tokens of the issuer and of dev are accepted, unless the second key is set', async () => {
    const { pem, header } = await issuer();
    space.write('config.yaml', configuration(tokens("key: '${PUBLIC_KEY}'")));
    const environment = { PUBLIC_KEY: pem };
    const dev = await started({ environment });
    expect((await ask(dev, '/me', await header())).status).toBe(200);
    expect(await statusOf(dev, '/me', 'users')).toBe(200);
    expect(await statusOf(dev, '/me', 'users', '--expires', '-1')).toBe(401);
    expect(await dev.stop()).toBe(0);

    const other = await issuer();
    const next = await started({ environment: { ...environment, AUTHENTICATION_USERS_KEY_2: other.pem } });
    expect((await ask(next, '/me', await other.header())).status).toBe(200);
    expect(await space.run('token', 'users')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^AUTHENTICATION_USERS_KEY_2 is already set/) as string,
    });
  });

  test('without a value, with an algorithm of public keys', async () => {
    space.write('config.yaml', configuration(tokens("key: '${PUBLIC_KEY}', algorithms: [ES384]")));
    const dev = await started();
    expect(await statusOf(dev, '/me', 'users')).toBe(200);
  });

  test('jwks: keys of the issuer are passed on; without the issuer, tokens of dev are still accepted', async () => {
    const { jwk, header } = await issuer();
    let requests = 0;
    const port = await freePort();
    const provider = createServer((_, response) => {
      requests += 1;
      response.end(JSON.stringify({ keys: [jwk] }));
    });
    const config = configuration(tokens("jwks: '${JWKS_URL}'"));
    space.write('config.yaml', config);
    const dev = await started({ environment: { JWKS_URL: `http://127.0.0.1:${port}/keys?secret=s3cr3t` } });

    // The provider does not run yet.
    expect(await statusOf(dev, '/me', 'users')).toBe(200);
    await dev.until(
      /The keys of the authentication 'users' cannot be read \(ECONNREFUSED\): only tokens of 'apikiln token' are accepted\./,
    );
    expect((await ask(dev, '/me', await header())).status).toBe(401);

    servers.push(provider);
    await new Promise<void>((resolve) => provider.listen(port, '127.0.0.1', resolve));
    // A new version asks for the keys.
    await dev.save(space, 'config.yaml', config.replace('GET /notes', 'GET /all'));
    expect((await ask(dev, '/me', await header())).status).toBe(200);
    expect(await statusOf(dev, '/me', 'users')).toBe(200);
    expect(requests).toBeGreaterThan(0);
    await dev.until(/can be read again/);

    await new Promise((resolve) => {
      provider.close(resolve).closeAllConnections();
    });
    await dev.save(space, 'config.yaml', config);
    expect(await statusOf(dev, '/me', 'users')).toBe(200);
    expect((await ask(dev, '/me', await header())).status).toBe(200);
    expect(dev.printed).not.toContain('s3cr3t');
  });

  test('jwks without an address: only tokens of dev', async () => {
    space.write('config.yaml', configuration(tokens("jwks: '${JWKS_URL}'")));
    const dev = await started();
    await dev.until(
      /The address of the keys of 'users' is not set: only tokens of 'apikiln token' are accepted\./,
    );
    expect(await statusOf(dev, '/me', 'users')).toBe(200);
    expect((await ask(dev, '/me', await (await issuer()).header())).status).toBe(401);
  });
});

const kinds = `  users: { type: jwt, issuer: '\${ISSUER}', audience: '\${AUDIENCE}', key: '\${TOKEN_KEY}', cookie: session }
  staff: { type: basicauth, user: ada, password: '\${STAFF_PASSWORD}', default: true }
  hashed: { type: basicauth, user: grace, passwordHash: '\${HASH}', default: true }
  partners:
    type: apikey
    header: X-Api-Key
    default: true
    keys: { acme: '\${ACME_KEY}', globex: 'sha256:${'0'.repeat(64)}', initech: 'sha256:${'1'.repeat(64)}', initech-2: 'sha256:${'2'.repeat(64)}' }
  hooks: { type: signature, scheme: standard-webhooks, secrets: ['\${HOOK_SECRET}'] }
  rows: { type: apikey, query: key, operation: find, default: true }
  robots: { type: apikey, scheme: Bearer, prefix: tk_, keys: { one: 'sha256:${'3'.repeat(64)}' }, default: true }
  members: { type: basicauth, operation: find account }
`;
const hookOperations = `  find:
    responses: [{ name: ok, default: true, statuscode: 200, schema: { sub: PARAM(key) } }]
  find account:
    responses: [{ name: ok, default: true, statuscode: 200, schema: { sub: PARAM(user), passwordHash: NULL() } }]
  GET /members:
    authentications: [members]
    responses: [{ name: ok, default: true, statuscode: 200, schema: { caller: CALLER() } }]
  POST /hook/{id}:
    authentications: [hooks]
    responses: [{ name: ok, default: true, statuscode: 200, schema: { body: 'BODY()', caller: CALLER() } }]
  GET /session:
    authentications: [users]
    responses: [{ name: ok, default: true, statuscode: 200, schema: { caller: CALLER() } }]
`;

test('accounts, keys and signatures: of settings, of hashes, and without a value', async () => {
  space.write('config.yaml', configuration(kinds, hookOperations));
  space.write('.env', `STAFF_PASSWORD=a long password\n`);
  const dev = await started({ environment: { ACME_KEY: 'acme'.repeat(10) } });
  expect(dev.printed).toMatch(/^ISSUER, AUDIENCE, TOKEN_KEY, HASH and HOOK_SECRET are not set: /m);

  expect(await printed('staff')).toBe('ada:a long password');
  expect(await statusOf(dev, '/me', 'staff')).toBe(200);
  expect(await statusOf(dev, '/me', 'hashed')).toBe(200);
  expect(await printed('hashed')).toMatch(/^grace:[0-9a-f]{64}$/);
  expect(await printed('partners')).toBe('acme'.repeat(10));
  expect(await ask(dev, '/me', await printed('partners', '--header'))).toMatchObject({
    body: { caller: { sub: 'acme' } },
  });
  const globex = await printed('partners', '--key', 'globex', '--header');
  expect(globex).toMatch(/^X-Api-Key: [0-9a-f]{64}$/);
  expect(await ask(dev, '/me', globex)).toMatchObject({ body: { caller: { sub: 'globex' } } });
  expect(await statusOf(dev, '/me', 'partners', '--key', 'initech-2')).toBe(200);
  const robot = await printed('robots', '--header');
  expect(robot).toMatch(/^Authorization: Bearer tk_[0-9a-f]{64}$/);
  expect(await ask(dev, '/me', robot)).toMatchObject({ body: { caller: { sub: 'one' } } });
  const cookie = await printed('users', '--header');
  expect(cookie).toMatch(/^Cookie: session=/);
  expect((await ask(dev, '/session', cookie)).status).toBe(200);

  const body = `{ "it's": "$HOME" }`;
  const command = await printed('hooks', '--path', '/hook/7?x=1', '--body', body);
  expect(command).toContain(`curl -g -X 'POST' '${dev.url}/hook/7?x=1'`);
  const { stdout } = await promisify(execFile)('sh', ['-c', `${command} -s`]);
  expect(JSON.parse(stdout)).toMatchObject({ body: { "it's": '$HOME' }, caller: { sub: 'hooks' } });
  space.write('hook.json', Buffer.from('{"a":"\u001b[31m"}\n'.replace('\u001b', '\\u001b')));
  const ofFile = await printed('hooks', '--path', '/hook/7', '--body', '@hook.json');
  const sent = await promisify(execFile)('sh', ['-c', `${ofFile} -s`], { cwd: space.folder });
  expect(JSON.parse(sent.stdout)).toMatchObject({ body: { a: '\u001b[31m' } });

  for (const [args, message] of [
    [
      ['nobody'],
      "Unknown authentication 'nobody'. Write users, staff, hashed, partners, hooks, rows, robots or members.\n",
    ],
    [['user'], "Unknown authentication 'user'. Did you mean 'users'?\n"],
    [['staff', '--sub', '1'], '--sub and --claim are not for an authentication of the type basicauth.\n'],
    [
      ['partners', '--key', 'other'],
      "Unknown key of 'partners' 'other'. Write acme, globex, initech or initech-2.\n",
    ],
    [
      ['rows'],
      "The keys of 'rows' are found by the operation 'find', so its tables have them. Send one of these keys.\n",
    ],
    [
      ['members'],
      "The accounts of 'members' are found by the operation 'find account', so its tables have them. Send the user and password of one of these accounts.\n",
    ],
    [
      ['partners', '--key', 'initech'],
      expect.stringMatching(/_INITECH_2 is the setting of another key/) as string,
    ],
    [['hooks'], 'The path /hook/{id} has parameters. Write --path.\n'],
    [
      ['hooks', '--path', 'hook'],
      'A path begins with a slash, and its other characters are percent-encoded.\n',
    ],
    [
      ['users', '--claim', 'id=12345678901234567890'],
      expect.stringMatching(/Write it as a string/) as string,
    ],
    [['users', '--claim', '=1'], '--claim =1 has no name. Write --claim name=value.\n'],
    [
      ['hooks', '--path', '/hook/7', '--body', 'a\u001b[31m'],
      expect.stringMatching(/Write it to a file/) as string,
    ],
  ] as const) {
    const { status, stdout: nothing, stderr }: Outcome = await space.run('token', ...args);
    expect({ args, status, nothing, stderr }).toEqual({ args, status: 2, nothing: '', stderr: message });
  }
  for (const hidden of ['a long password', globex.slice(11), cookie.slice(16), 'acme'.repeat(10)])
    expect(dev.printed).not.toContain(hidden);
});

test('the file of dev: private, without secrets of the service, removed at each stop, replaced after a crash', async () => {
  const secret = randomBytes(32).toString('hex');
  space.write('config.yaml', configuration(tokens("key: '${TOKEN_KEY}'")));
  const options = { environment: { TOKEN_KEY: secret } };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const dev = await started(options);
    const [path = ''] = contacts();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
    expect(space.read(path.slice(space.folder.length + 1))).not.toContain(secret);
    expect(await dev.stop(signal)).toBe(0);
    expect(dev.left()).toEqual([]);
  }
  const crashed = await started(options);
  const notRunning = {
    status: 4,
    stdout: '',
    stderr: 'apikiln dev does not run for config.yaml. Start it in another terminal: apikiln dev\n',
  };
  await crashed.stop('SIGKILL');
  expect(contacts()).toHaveLength(1);
  expect(await space.run('token', 'users')).toEqual(notRunning);
  const dev = await started(options);
  expect(contacts()).toHaveLength(1);
  expect(await statusOf(dev, '/me', 'users')).toBe(200);
  await dev.stop();
  expect(await space.run('token', 'users')).toEqual(notRunning);
});

test('several dev of one configuration: the newest responds, and after its end the one before it', async () => {
  space.write('config.yaml', configuration(tokens("key: '${TOKEN_KEY}'")));
  const first = await started();
  expect(first.printed).not.toContain('Another apikiln dev');
  const second = await started();
  expect(second.printed).toContain(
    "Another apikiln dev runs for this configuration. 'apikiln token' asks this one until it stops.\n",
  );
  const third = await started();
  expect(contacts()).toHaveLength(3);
  // Each has its own random key.
  const acceptedBy = async (): Promise<number[]> => {
    const header = await printed('users', '--header');
    const all = [first, second, third];
    const statuses = await Promise.all(
      all.map(async (dev) => {
        try {
          return (await ask(dev, '/me', header)).status;
        } catch {
          return 0;
        }
      }),
    );
    return statuses;
  };
  expect(await acceptedBy()).toEqual([401, 401, 200]);
  await third.stop();
  expect(await acceptedBy()).toEqual([401, 200, 0]);
  // A process that was killed leaves its file.
  await second.stop('SIGKILL');
  expect(contacts()).toHaveLength(2);
  expect(await acceptedBy()).toEqual([200, 0, 0]);
  const next = await started();
  expect(contacts()).toHaveLength(2);
  await first.stop();
  expect((await ask(next, '/me', await printed('users', '--header'))).status).toBe(200);
});

test('a built service has nothing of it: the same bytes, and another service refuses the token', async () => {
  const { jwk, header } = await issuer();
  const provider = createServer((_, response) => {
    response.end(JSON.stringify({ keys: [jwk] }));
  });
  servers.push(provider);
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  const jwks = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/keys`;
  // The test page of a service cannot log in.
  const debug = 'settings: { debug: true }\n';
  space.write('config.yaml', configuration(tokens(`jwks: '${jwks}'`)) + debug);
  await space.build({ out: 'before' });
  const dev = await started();
  const token = await printed('users', '--header');
  expect((await ask(dev, '/me', token)).status).toBe(200);
  await space.build({ out: 'after' });
  const [first, second] = [space.files('before'), space.files('after')];
  expect(second).toEqual(first);
  expect(Object.keys(first)).toContain('src/main.ts');
  const words = /apikiln-dev|apikiln-login|x-apikiln-cookie|apikiln token|Log in as/i;
  expect(Object.values(first).filter((text) => words.test(text))).toEqual([]);

  // `serve` runs the service as it is built.
  const served = await DevProcess.start(space, { command: 'serve' });
  running.push(served);
  await served.until(/listening on/);
  expect((await ask(served, '/me', await header())).status).toBe(200);
  expect((await ask(served, '/me', token)).status).toBe(401);
  const page = await (await fetch(`${served.url}/docs-ui`)).text();
  expect(page).toContain('docs-ui/page.js');
  const scripts = [page];
  for (const path of ['page.js', 'page.css', 'trace-view.js'])
    scripts.push(await (await fetch(`${served.url}/docs-ui/${path}`)).text());
  expect(scripts.filter((text) => words.test(text))).toEqual([]);
  const login = await fetch(`${served.url}/docs-ui/apikiln-dev/login/credentials`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-apikiln-dev': 'login',
      'sec-fetch-site': 'same-origin',
    },
    body: '{"authentication":"users"}',
  });
  expect(login.status).toBe(404);
  expect(await (await fetch(`${dev.url}/docs-ui`)).text()).toContain('docs-ui/apikiln-dev.js');
});
