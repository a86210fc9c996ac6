/** Passwords against hashes made by other programs; parameters that would take too much; damaged hashes. */
import { scryptSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Call } from '../../../runtime/handler/call.js';
import type { Json } from '../../../runtime/handler/json.js';
import { ServiceError } from '../../../runtime/handler/reply.js';
import { HashThreads } from '../../../runtime/passwords/hash-threads.js';
import { hashPassword, isOutdated, verifyPassword } from '../../../runtime/passwords/index.js';
import { clientOf, PasswordVerifier, type HashingCall } from '../../../runtime/passwords/passwords.js';
import { createdKind, readStoredHash } from '../../../runtime/passwords/stored-hash.js';
import { createLog } from '../../../runtime/server/log.js';
import { setServiceLog } from '../../../runtime/server/service-log.js';

/** A call without a request, whose jobs always wait. */
const call: HashingCall = { proceed: () => undefined };

const password = 'lètmein';
/** Of `password`: by libxcrypt (crypt), libargon2, and hashlib of Python as Django uses it. */
const hashes = {
  scrypt: '$scrypt$ln=12,r=8,p=2$MDEyMzQ1Njc4OWFiY2RlZg$bYzQf4yyvN/iawFExcnDr1kI2WbKnuNGtgIrhWo2yuU',
  'bcrypt 2a': '$2a$04$abcdefghijklmnopqrstuuanVo7Xut1CH8VGIGlz1JovQh9GJbbtG',
  'bcrypt 2b': '$2b$04$abcdefghijklmnopqrstuuanVo7Xut1CH8VGIGlz1JovQh9GJbbtG',
  'bcrypt 2y': '$2y$04$abcdefghijklmnopqrstuuanVo7Xut1CH8VGIGlz1JovQh9GJbbtG',
  argon2id: '$argon2id$v=19$m=256,t=2,p=3$MDEyMzQ1Njc4OWFiY2RlZg$r980qc9GfJQjeDbG6/Mwhue0iMJJC7SB8Djyop+R1o0',
  pbkdf2: 'pbkdf2_sha256$1000$seasalt$JgZryXe2Ga8ysg6XbzkLpTdyPQrHqsinbL9BnnhgX4A=',
} as const;

async function statusOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    return await promise;
  } catch (error) {
    return error instanceof ServiceError ? error.status : error;
  }
}

describe('a hash of another program', () => {
  test.each(Object.entries(hashes))('%s', async (_, hash) => {
    expect(await verifyPassword(call, password, hash)).toBe(true);
    expect(await verifyPassword(call, password.normalize('NFD'), hash)).toBe(true);
    expect(await verifyPassword(call, `${password} `, hash)).toBe(false);
    expect(await verifyPassword(call, '', hash)).toBe(false);
    expect(isOutdated(hash)).toBe(true);
  });

  test('the test vectors of argon2 and Django', async () => {
    const argon2 = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
    const django = 'pbkdf2_sha256$216000$seasalt$youGZxOw6ZOcfrXv2i8/AhrnpZflJJ9EshS9XmUJTUg=';
    expect(await verifyPassword(call, 'password', argon2)).toBe(true);
    expect(await verifyPassword(call, password, django)).toBe(true);
  });

  test('72 bytes of a password count for bcrypt, also in the middle of a character', async () => {
    const long = '$2b$04$abcdefghijklmnopqrstuubzadhGtS2zEF.gu0yd0opP6cVzb.e0i';
    expect(await verifyPassword(call, `${'x'.repeat(72)}other`, long)).toBe(true);
    expect(await verifyPassword(call, 'x'.repeat(71), long)).toBe(false);
    const accents = '$2b$04$abcdefghijklmnopqrstuuKiIlCeXB6chNXkLyAo8C7XcLPzh6zUe';
    expect(await verifyPassword(call, 'é'.repeat(40), accents)).toBe(true);
  });

  test('an empty password', async () => {
    expect(
      await verifyPassword(call, '', '$2b$04$abcdefghijklmnopqrstuubyCG3zY1GIXMyxfivm.ClDiInHzxjiq'),
    ).toBe(true);
    // The library refuses it for argon2id.
    const argon2 =
      '$argon2id$v=19$m=64,t=1,p=1$MDEyMzQ1Njc4OWFiY2RlZg$YdvKnHDNdnx3UXOE4OXsgVckBvuq3gpvrMbEV3UYnbY';
    expect(await verifyPassword(call, '', argon2)).toBe(false);
  });
});

describe('a hash of the service', () => {
  test('is verified by the service and by scrypt, and is not outdated', async () => {
    const hash = await hashPassword(call, 'žluť'.normalize('NFD'));
    expect(isOutdated(hash)).toBe(false);
    expect(await verifyPassword(call, 'žluť', hash)).toBe(true);
    expect(await verifyPassword(call, 'zlut', hash)).toBe(false);
    const [, , , salt = '', expected = ''] = hash.split('$');
    const options = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
    const computed = scryptSync('žluť', Buffer.from(salt, 'base64'), 32, options);
    expect(computed.toString('base64')).toBe(expected);
    expect(await hashPassword(call, 'žluť')).not.toBe(hash);
  });

  test('a value that cannot be a password is 400; one that is no string is a wrong password', async () => {
    const values: Json[] = ['x'.repeat(1025), 'é'.repeat(513), 'a\0b'];
    for (const value of values) {
      expect(await statusOf(hashPassword(call, value))).toBe(400);
      expect(await statusOf(verifyPassword(call, value, hashes.scrypt))).toBe(400);
      expect(await statusOf(verifyPassword(call, value, null))).toBe(400);
    }
    for (const value of [null, 1, true, [password], { password }]) {
      expect(await statusOf(hashPassword(call, value))).toBe(400);
      expect(await verifyPassword(call, value, hashes.scrypt)).toBe(false);
    }
    expect(await verifyPassword(call, 'x'.repeat(1024), hashes.scrypt)).toBe(false);
  });
});

describe('hostile parameters', () => {
  const base64 = 'MDEyMzQ1Njc4OWFiY2RlZg';
  const bytes = 'bYzQf4yyvN/iawFExcnDr1kI2WbKnuNGtgIrhWo2yuU';
  const costly = [
    `$scrypt$ln=18,r=8,p=1$${base64}$${bytes}`,
    `$scrypt$ln=99,r=99,p=1$${base64}$${bytes}`,
    `$scrypt$ln=10,r=8,p=17$${base64}$${bytes}`,
    `$argon2id$v=19$m=524288,t=2,p=1$${base64}$${bytes}`,
    `$argon2id$v=19$m=64,t=9999999999,p=1$${base64}$${bytes}`,
    `$argon2id$v=19$m=262144,t=1,p=256$${base64}$${bytes}`,
    '$2b$15$abcdefghijklmnopqrstuuanVo7Xut1CH8VGIGlz1JovQh9GJbbtG',
    '$2b$31$abcdefghijklmnopqrstuuanVo7Xut1CH8VGIGlz1JovQh9GJbbtG',
    'pbkdf2_sha256$5000001$seasalt$JgZryXe2Ga8ysg6XbzkLpTdyPQrHqsinbL9BnnhgX4A=',
    'pbkdf2_sha256$9999999999$seasalt$JgZryXe2Ga8ysg6XbzkLpTdyPQrHqsinbL9BnnhgX4A=',
  ];
  test.each(costly)('%s is not computed', async (hash) => {
    expect(readStoredHash(hash)).toBe('too costly');
    expect(isOutdated(hash)).toBe(true);
    expect(await verifyPassword(call, password, hash)).toBe(false);
  });

  test('the largest parameters are accepted', () => {
    for (const hash of [
      `$scrypt$ln=17,r=8,p=16$${base64}$${bytes}`,
      `$argon2id$v=19$m=524288,t=1,p=1$${base64}$${bytes}`,
      `$argon2id$v=19$m=65536,t=8,p=255$${base64}$${bytes}`,
      '$2b$14$abcdefghijklmnopqrstuuanVo7Xut1CH8VGIGlz1JovQh9GJbbtG',
      'pbkdf2_sha256$5000000$seasalt$JgZryXe2Ga8ysg6XbzkLpTdyPQrHqsinbL9BnnhgX4A=',
    ])
      expect(readStoredHash(hash), hash).toHaveProperty('kind');
  });

  test.each<[Json]>([
    [''],
    ['secret'],
    [1],
    [true],
    [['$2b$04$abcdefghijklmnopqrstuuanVo7Xut1CH8VGIGlz1JovQh9GJbbtG']],
    [{ hash: hashes.scrypt }],
    [` ${hashes.scrypt}`],
    [`${hashes.scrypt}\n`],
    ['$2x$04$abcdefghijklmnopqrstuuanVo7Xut1CH8VGIGlz1JovQh9GJbbtG'],
    ['$2b$03$abcdefghijklmnopqrstuuanVo7Xut1CH8VGIGlz1JovQh9GJbbtG'],
    ['$2b$4$abcdefghijklmnopqrstuuanVo7Xut1CH8VGIGlz1JovQh9GJbbtG'],
    [hashes.argon2id.replace('v=19', 'v=16')],
    [hashes.argon2id.replace('argon2id', 'argon2i')],
    [hashes.argon2id.replace('m=256', 'm=8')],
    [hashes.argon2id.replace('t=2', 't=0')],
    [hashes.argon2id.replace(',p=3', ',p=0')],
    [hashes.pbkdf2.replace('1000', '0')],
    [hashes.pbkdf2.replace('sha256', 'sha1')],
    [hashes.scrypt.replace('ln=12', 'ln=4')],
    [`$scrypt$ln=12,r=8,p=1$${'A'.repeat(100_000)}$${bytes}`],
    ['$constructor$'],
    ['$__proto__$'],
  ])('%j is unreadable, and no password is right', async (hash) => {
    expect(readStoredHash(hash)).toBe('unreadable');
    expect(isOutdated(hash)).toBe(true);
    expect(await verifyPassword(call, password, hash)).toBe(false);
  });
});

test('damaged hashes: no password is right unless the bytes are the same, and nothing throws', async () => {
  // The cheap ones: each case is computed.
  const cheap = [hashes['bcrypt 2b'], hashes.argon2id, hashes.pbkdf2, hashes.scrypt];
  const characters = fc.constantFrom('$', '=', ',', '.', '/', '0', '1', '3', '9', 'a', 'Z', '\0', 'é', '\n');
  const damaged = fc
    .tuple(fc.constantFrom(...cheap), fc.nat(120), fc.nat(3), fc.string({ unit: characters, maxLength: 4 }))
    .map(([hash, at, length, text]) => ({
      whole: hash,
      hash: hash.slice(0, at) + text + hash.slice(at + length),
    }));
  await fc.assert(
    fc.asyncProperty(damaged, async ({ whole, hash }) => {
      const stored = readStoredHash(hash);
      if (typeof stored === 'string') {
        expect(['unreadable', 'too costly']).toContain(stored);
        return;
      }
      // A number of passes with further digits can be below the limit, and takes seconds.
      if (/\d{5}/.test(/^.{0,40}/.exec(hash)?.[0] ?? '')) return;
      const original = readStoredHash(whole);
      const isRight = await verifyPassword(call, password, hash);
      if (isRight) expect(stored).toEqual(original);
    }),
    { numRuns: 400 },
  );
});

describe('what a refusal computes', () => {
  /** A verifier, and the sorted algorithms of each of its jobs. */
  function observed(): { readonly verifier: PasswordVerifier; readonly algorithms: string[] } {
    const algorithms: string[] = [];
    const threads = new HashThreads();
    const verifier = new PasswordVerifier({
      run(job) {
        const kinds = job.task === 'hash' ? [] : [job.stored?.kind ?? [], job.others].flat();
        const names = kinds.map(({ algorithm }) => algorithm).sort();
        algorithms.push(names.join(' '));
        return threads.run(job);
      },
    });
    return { verifier, algorithms };
  }

  test('is the same for a missing, an unreadable and a wrong hash, with every kind that was met', async () => {
    const { verifier, algorithms } = observed();
    await verifier.verify('wrong', null);
    expect(algorithms).toEqual(['scrypt']);
    await verifier.verify('wrong', hashes.pbkdf2);
    await verifier.verify('wrong', hashes['bcrypt 2a']);
    algorithms.length = 0;
    for (const hash of [null, 'unreadable', hashes.pbkdf2, hashes['bcrypt 2b'], 'pbkdf2_sha256$9999999$a$b'])
      expect(await verifier.verify('wrong', hash)).toBe(false);
    expect(await verifier.verify(null, hashes.pbkdf2)).toBe(false);
    expect(algorithms).toEqual(Array.from({ length: 6 }, () => 'bcrypt pbkdf2'));
  });

  test('has at most four kinds', async () => {
    const { verifier, algorithms } = observed();
    for (let iterations = 1; iterations <= 9; iterations += 1)
      await verifier.verify('wrong', hashes.pbkdf2.replace('1000', String(iterations)));
    expect(algorithms.at(-1)).toBe('pbkdf2 pbkdf2 pbkdf2 pbkdf2');
  });
});

describe('the threads', () => {
  const job = (iterations: number) =>
    ({
      task: 'hash',
      kind: { algorithm: 'pbkdf2', iterations },
      password,
      salt: new Uint8Array(16),
    }) as const;

  test('a job that no thread can take in time is 503 with Retry-After, and later ones are served', async () => {
    const threads = new HashThreads(1, 0);
    const first = threads.run(job(2_000_000));
    const error: unknown = await threads.run(job(1)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ status: 503, details: { retryAfter: 1 } });
    expect(await first).toHaveProperty('hash');
    expect(await threads.run(job(1))).toHaveProperty('hash');
  });

  test('jobs wait for a thread', async () => {
    const threads = new HashThreads(2);
    const results = await Promise.all(Array.from({ length: 20 }, () => threads.run(job(1000))));
    expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1);
  });

  /** A client of this address, and how its connection ends. */
  function clientAt(address: string) {
    const runs = new Set<() => void>();
    const call: HashingCall = {
      address,
      onDisconnect(run) {
        runs.add(run);
        return () => runs.delete(run);
      },
      proceed: () => undefined,
    };
    const leave = (): void => {
      for (const run of runs) run();
    };
    return { client: clientOf(call), leave, runs };
  }

  test('networks take turns, and one client cannot fill the queue', async () => {
    const threads = new HashThreads(1);
    const ended: string[] = [];
    const run = async (address: string): Promise<unknown> => {
      const outcome = await statusOf(threads.run(job(20_000), clientAt(address).client));
      if (outcome !== 503) ended.push(address);
      return outcome;
    };
    const flood = Array.from({ length: 60 }, (_, at) => run(`2001:db8::${at}`));
    const outcomes = await Promise.all([...flood, run('192.0.2.1'), run('2001:db8:0:1::1')]);
    // One is computed immediately, and 16 wait.
    expect(outcomes.filter((outcome) => outcome === 503)).toHaveLength(60 - 17);
    expect(ended.slice(0, 5)).toEqual([
      ...['2001:db8::0', '2001:db8::1', '192.0.2.1', '2001:db8:0:1::1', '2001:db8::2'],
    ]);
    expect(ended).toHaveLength(19);
    expect(await run('2001:db8::1')).toHaveProperty('hash');
  });

  test('a job whose client has left is not computed, and another one can wait', async () => {
    const threads = new HashThreads(1);
    const first = threads.run(job(200_000));
    const { client, leave, runs } = clientAt('192.0.2.1');
    // It cannot be computed: if it were, its outcome would be 500.
    const gone = statusOf(
      threads.run({ ...job(1), kind: { algorithm: 'scrypt', ln: 64, r: 8, p: 1 } }, client),
    );
    leave();
    expect(await gone).toBe(499);
    const later = clientAt('192.0.2.1');
    expect(await threads.run(job(1), later.client)).toHaveProperty('hash');
    expect(await first).toHaveProperty('hash');
    expect([runs.size, later.runs.size]).toEqual([0, 0]);
  });

  test('the client of a call is the network of its outermost call', () => {
    const root = { address: '2001:db8::7' } as Call;
    expect(clientOf({ root, proceed: () => undefined })).toMatchObject({ network: '2001:db8:0:0::/64' });
    expect(clientOf(call)).toBe(undefined);
    const proceed = (): never => {
      throw new ServiceError(499, 'The client has gone away');
    };
    expect(() => clientOf({ address: '192.0.2.1', proceed })).toThrow('gone away');
  });

  test('a hash that cannot be computed is 500, and its thread goes on', async () => {
    const threads = new HashThreads(1);
    const failing = { ...job(1), kind: { algorithm: 'scrypt', ln: 64, r: 8, p: 1 } } as const;
    expect(await statusOf(threads.run(failing))).toBe(500);
    expect(await threads.run({ ...job(1), kind: createdKind })).toHaveProperty('hash');
  });

  test('the event loop goes on meanwhile', async () => {
    let isComputing = true;
    const hash = verifyPassword(
      call,
      'x',
      `$scrypt$ln=15,r=8,p=4$MDEyMzQ1Njc4OWFiY2RlZg$${'A'.repeat(43)}`,
    ).finally(() => {
      isComputing = false;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isComputing).toBe(true);
    expect(await hash).toBe(false);
  });
});

test('a hash that cannot be verified is logged once a minute, without its text', async () => {
  const lines: unknown[][] = [];
  const log = createLog('silent');
  log.warn = (...line: unknown[]) => void lines.push(line);
  setServiceLog(log);
  try {
    const verifier = new PasswordVerifier();
    await verifier.verify('x', null);
    expect(lines).toEqual([]);
    await verifier.verify('x', 'secret-text');
    await verifier.verify('x', 'pbkdf2_sha256$1');
    expect(lines).toEqual([[{ problem: 'unreadable' }, 'the stored hash of a password cannot be verified']]);
  } finally {
    setServiceLog(createLog('silent'));
  }
});
