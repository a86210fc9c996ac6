/** A key server on this machine: the keys of an issuer, and a key of `apikiln dev`, so that the service accepts tokens of both. */
import type { JWK } from 'jose';
import { StubServer, type StubResponse } from '../local/stub-server.js';

/** The keys of one authentication. */
interface Relayed {
  readonly own: JWK;
  /** The address of the issuer's keys; undefined if only the own key is published. */
  readonly address: string | undefined;
  /** The last keys of the issuer. */
  keys: readonly unknown[];
  /** In milliseconds of `performance.now()`. */
  since: number;
  hasFailed: boolean;
  request: Promise<void> | undefined;
}

/** Milliseconds for which keys are sent again without a request to the issuer. The service itself keeps them for longer. */
const lifetime = 5000;
/** Milliseconds, fewer than the service waits. */
const timeLimit = 2500;
/** Bytes. */
const sizeLimit = 1024 * 1024;

export class KeyRelay {
  readonly #relayed = new Map<string, Relayed>();
  #server: Promise<StubServer> | undefined;

  /** Receives a line when the keys of an issuer cannot be read, and when they can again. */
  constructor(private readonly log: (line: string) => void) {}

  /** The address for the authentication of that name. The keys of the issuer are read when the service asks for them. */
  async addressFor(name: string, own: JWK, address: string | undefined): Promise<string> {
    const before = this.#relayed.get(name);
    if (before?.address !== address || before?.own !== own)
      this.#relayed.set(name, {
        ...{ own, address, keys: [], since: -Infinity, hasFailed: false, request: undefined },
      });
    this.#server ??= StubServer.start(({ method, path }) => this.#respond(method, path));
    return `${(await this.#server).url}/${encodeURIComponent(name)}`;
  }

  async stop(): Promise<void> {
    await (await this.#server)?.stop();
  }

  async #respond(method: string, path: string): Promise<StubResponse> {
    const name = decoded(path.slice(1));
    const relayed = this.#relayed.get(name);
    if (relayed === undefined || method !== 'GET') return { status: 404 };
    await this.#renew(name, relayed);
    const body = JSON.stringify({ keys: [...relayed.keys, relayed.own] });
    return { headers: { 'content-type': 'application/json' }, body };
  }

  /** One request at a time. Never throws: without the issuer, the own key is still published. */
  async #renew(name: string, relayed: Relayed): Promise<void> {
    const { address } = relayed;
    if (address === undefined || performance.now() - relayed.since < lifetime) return;
    relayed.request ??= this.#read(name, relayed, address).finally(() => {
      relayed.request = undefined;
    });
    await relayed.request;
  }

  async #read(name: string, relayed: Relayed, address: string): Promise<void> {
    try {
      relayed.keys = await readKeys(address);
      relayed.since = performance.now();
      if (relayed.hasFailed) this.log(`The keys of the authentication '${name}' can be read again.`);
      relayed.hasFailed = false;
    } catch (error) {
      if (relayed.hasFailed) return;
      relayed.hasFailed = true;
      const rest =
        relayed.keys.length === 0
          ? "only tokens of 'apikiln token' are accepted"
          : 'the keys that were read last are still used';
      this.log(`The keys of the authentication '${name}' cannot be read (${reasonOf(error)}): ${rest}.`);
    }
  }
}

/** Throws if no set of keys arrives in time. */
async function readKeys(address: string): Promise<readonly unknown[]> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new KeyFailure(`no response within ${timeLimit} ms`));
      controller.abort();
    }, timeLimit);
  });
  try {
    return await Promise.race([fetchKeys(address, controller.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function fetchKeys(address: string, signal: AbortSignal): Promise<readonly unknown[]> {
  const response = await fetch(address, {
    redirect: 'error',
    headers: { accept: 'application/json' },
    signal,
  });
  if (response.status !== 200) throw new KeyFailure(`status ${response.status}`);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > sizeLimit) throw new KeyFailure(`more than ${sizeLimit} bytes`);
    chunks.push(chunk);
  }
  const set = jsonOf(Buffer.concat(chunks).toString());
  const keys = typeof set === 'object' && set !== null && 'keys' in set ? set.keys : undefined;
  if (!Array.isArray(keys)) throw new KeyFailure('not a set of keys');
  return keys as readonly unknown[];
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new KeyFailure('not JSON');
  }
}

class KeyFailure extends Error {}

/** Without the address, which may contain a secret. */
function reasonOf(error: unknown): string {
  if (error instanceof KeyFailure) return error.message;
  const cause = error instanceof Error ? error.cause : undefined;
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : '';
  return code || 'the request failed';
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
