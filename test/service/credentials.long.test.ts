/** A built service with several processes, after nginx: reasons of refused credentials in its log and metrics, and secrets that rotate. */
import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { filesOf } from '../emit/compile-text.js';
import { freePort } from '../helpers/free-port.js';
import { startNginx } from '../helpers/nginx.js';
import { RunningService } from '../helpers/running-service.js';
import { translateServices } from '../helpers/service-build.js';

const config = `specification: "1.0"
operations:
  GET /me:
    authentications: [users, partners, staff]
    responses:
      - { name: ok, default: true, statuscode: 200, schema: { by: 'CALLER($.authentication)' } }
  POST /hook:
    authentications: [pay]
    responses:
      - { name: ok, default: true, statuscode: 200, schema: { by: 'CALLER($.authentication)' } }
authentications:
  users: { type: jwt, issuer: https://id.example, audience: orders, key: '\${TOKEN_KEY}' }
  partners: { type: apikey, header: X-Api-Key, keys: { acme: '\${ACME_KEY}' } }
  staff: { type: basicauth, user: ada, password: '\${PASSWORD}' }
  pay: { type: signature, scheme: stripe, secrets: ['\${HOOK}'] }
`;

const old = 'the-old-secret-of-at-least-32-characters';
const fresh = 'the-new-secret-of-at-least-32-characters';
const variables = { TOKEN_KEY: old, ACME_KEY: old, PASSWORD: old, HOOK: old };

let folder = '';
let running: RunningService | undefined;
beforeAll(async () => {
  const files = await filesOf(config);
  folder = translateServices('credentials', [{ name: 'all', files }]).get('all') ?? '';
});
afterEach(() => running?.killAll());
afterAll(() => running?.killAll());

interface Response {
  readonly status: number;
  readonly text: string;
  readonly headers: readonly (readonly [string, string])[];
}

async function ask(url: string, path: string, headers: Readonly<Record<string, string>>): Promise<Response> {
  const response = await fetch(url + path, {
    ...(path === '/hook' ? { method: 'POST', body: '{}' } : {}),
    headers: { 'x-request-id': 'one', 'content-type': 'application/json', ...headers },
  });
  const kept = [...response.headers].filter(([name]) => name !== 'date');
  return { status: response.status, text: await response.text(), headers: kept };
}

const seconds = (from: number): number => Math.floor(Date.now() / 1000) + from;

function bearer(secret: string, own: object = {}): Record<string, string> {
  const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const payload = { iss: 'https://id.example', aud: 'orders', sub: 'ada', exp: seconds(300), ...own };
  const text = `${encoded({ alg: 'HS256' })}.${encoded(payload)}`;
  return { authorization: `Bearer ${text}.${createHmac('sha256', secret).update(text).digest('base64url')}` };
}

function basic(secret: string, user = 'ada'): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}` };
}

function stripe(secret: string, time = seconds(0)): Record<string, string> {
  const mac = createHmac('sha256', secret).update(`${time}.{}`).digest('hex');
  return { 'stripe-signature': `t=${time},v1=${mac}` };
}

/** The path, the reason, and the headers of each refusal. */
const refused: readonly (readonly [string, string, () => Record<string, string>])[] = [
  ['/me', 'missing', () => ({})],
  ['/me', 'expired', () => bearer(old, { exp: seconds(-60) })],
  ['/me', 'audience', () => bearer(old, { aud: 'invoices' })],
  ['/me', 'issuer', () => bearer(old, { iss: 'https://evil.example' })],
  ['/me', 'signature', () => bearer(fresh)],
  ['/me', 'unknown-api-key', () => ({ 'x-api-key': fresh })],
  ['/me', 'wrong-password', () => basic(fresh)],
  ['/me', 'unknown-account', () => basic(old, 'eve')],
  ['/hook', 'missing', () => ({})],
  ['/hook', 'signature', () => stripe(fresh)],
  ['/hook', 'too-old', () => stripe(old, seconds(-600))],
];

const rounds = 8;

test('two processes after nginx: the log has the reasons, the metrics are those of both, the responses say nothing', async () => {
  const port = await freePort();
  const management = await freePort();
  const service = (running = await RunningService.start(folder, {
    ...variables,
    ...{ PORT: String(port), WORKERS: '2', MANAGEMENT_PORT: String(management) },
    ...{ LOG_REQUESTS: 'errors', LOG_FORMAT: 'json' },
  }));
  // A connection for each request, so that both processes have some.
  const proxy = await startNginx([port], []);
  try {
    const responses = new Map<string, Set<string>>();
    for (let round = 0; round < rounds; round += 1)
      for (const [path, reason, headers] of refused) {
        const response = await ask(proxy.url, path, headers());
        expect([reason, response.status]).toEqual([reason, 401]);
        const type = Object.keys(headers()).join() + (headers()['authorization']?.split(' ')[0] ?? '');
        const seen = responses.get(`${path} ${type}`) ?? new Set();
        responses.set(`${path} ${type}`, seen.add(JSON.stringify(response)));
      }
    for (const [type, seen] of responses) expect([type, seen.size]).toEqual([type, 1]);
    const metrics = await (await fetch(`http://127.0.0.1:${management}/metrics`)).text();
    const counted = metrics.split('\n').filter((line) => line.startsWith('credentials_refused_total{'));
    expect(counted.sort()).toEqual(
      refused
        .map(([path, reason]) => {
          const operation = path === '/hook' ? 'POST /hook' : 'GET /me';
          return `credentials_refused_total{operation="${operation}",reason="${reason}"} ${rounds}`;
        })
        .sort(),
    );
  } finally {
    await proxy.stop();
  }
  await service.stop();
  const entries = service.printed
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const reasons = entries.filter(({ msg }) => msg === 'request').map(({ reason }) => reason);
  expect(reasons).toHaveLength(rounds * refused.length);
  expect(new Set(reasons)).toEqual(new Set(refused.map(([, reason]) => reason)));
  // The first refusal of each process; the others of the minute are not logged yet.
  const counts = entries.filter(({ msg }) => msg === 'credentials were refused');
  expect(counts).toHaveLength(2);
  for (const { count, reasons: byReason } of counts)
    expect(Object.values(byReason as Record<string, number>)).toEqual([count]);
});

test('a secret is replaced in three starts of the same build, without a refused request', async () => {
  const credentials = {
    users: (secret: string) => ['/me', bearer(secret)] as const,
    partners: (secret: string) => ['/me', { 'x-api-key': secret }] as const,
    staff: (secret: string) => ['/me', basic(secret)] as const,
    pay: (secret: string) => ['/hook', stripe(secret)] as const,
  };
  const second = (value: string): Record<string, string> => ({
    AUTHENTICATION_USERS_KEY_2: value,
    AUTHENTICATION_PARTNERS_KEY_ACME_2: value,
    AUTHENTICATION_STAFF_PASSWORD_2: value,
    AUTHENTICATION_PAY_SECRET_2: value,
  });
  const replaced = { TOKEN_KEY: fresh, ACME_KEY: fresh, PASSWORD: fresh, HOOK: fresh };
  const phases: readonly (readonly [Record<string, string>, old: number, fresh: number])[] = [
    [{ ...variables, ...second('') }, 200, 401],
    [{ ...variables, ...second(fresh), WORKERS: '2' }, 200, 200],
    [{ ...replaced, ...second('') }, 401, 200],
  ];
  for (const [environment, ofOld, ofFresh] of phases) {
    const service = (running = await RunningService.start(folder, { ...environment, LOG_FORMAT: 'json' }));
    for (const [name, of] of Object.entries(credentials))
      for (const [secret, status] of [
        [old, ofOld],
        [fresh, ofFresh],
        ['a-secret-that-was-never-valid-anywhere', 401],
      ] as const) {
        const [path, headers] = of(secret);
        const response = await ask(service.url, path, headers);
        expect([name, secret, response.status]).toEqual([name, secret, status]);
        if (status === 200) expect(JSON.parse(response.text)).toEqual({ by: name });
      }
    await service.stop();
    expect(service.printed).not.toMatch(/not read by this service|Not read/);
    expect(service.printed).not.toContain(fresh);
  }
});
