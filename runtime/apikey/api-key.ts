/** API keys: either named keys from the configuration, or keys looked up by an operation. */
import { hash, timingSafeEqual } from 'node:crypto';
import type { Authentication, Identity } from '../authentication/authentication.js';
import { cookiePlace, headerPlace, queryPlace, type CredentialPlace } from '../authentication/places.js';
import type { Call } from '../handler/call.js';
import { shareOfResults } from '../handler/memory.js';
import { isFailure, ServiceError, type Reply } from '../handler/reply.js';
import type { AccessRequest, Handler } from '../http/route.js';
import { readOnlySetting, readRotatedSetting } from '../server/checked-setting.js';
import type { Environment } from '../server/environment.js';
import { upperSnake } from '../server/environment-reference.js';
import { problemOfKey } from './key-problem.js';

/** The location of the key, and either named keys or an operation. */
export interface ApiKeyOptions {
  readonly header?: string;
  readonly query?: string;
  readonly cookie?: string;
  /** Names of the keys. Their values are settings: AUTHENTICATION_<NAME>_KEY_<KEY>, and …_2 while a key is replaced. */
  readonly keys?: readonly string[];
  /** An operation that returns the caller for `PARAM(key)`, the hexadecimal SHA-256 of the key. */
  readonly operation?: Handler;
}

/** Creates the named authentication. */
export function apiKey(name: string, options: ApiKeyOptions): Authentication {
  return new ApiKey(name, options);
}

class ApiKey implements Authentication {
  readonly challenge = 'ApiKey realm="service"';
  readonly isPrivate = true;
  readonly #place: CredentialPlace;
  #keys: readonly { readonly name: string; readonly digest: Buffer }[] = [];

  constructor(
    readonly name: string,
    private readonly options: ApiKeyOptions,
  ) {
    const { header, query, cookie = '' } = options;
    if (header !== undefined) this.#place = headerPlace(header);
    else this.#place = query === undefined ? cookiePlace(cookie) : queryPlace(query);
  }

  get place(): string {
    return this.#place.name;
  }

  readSettings(environment: Environment): void {
    this.#place.readSettings?.(environment);
    const { keys = [] } = this.options;
    const settings = new Set(keys.map((key) => upperSnake(`key_${key}`)));
    this.#keys = keys.flatMap((key) => {
      const options = { meaning: `the key ${key}`, problemOf: problemOfKey };
      // The setting of the key `acme-2` is not a second value of `acme`: its owner would be another caller.
      const read = settings.has(upperSnake(`key_${key}_2`)) ? readOnlySetting : readRotatedSetting;
      const values = read(environment, ['authentication', this.name], `key_${key}`, options);
      return values.map((value) => ({ name: key, digest: digestOf(value) }));
    });
  }

  isTried(request: AccessRequest): boolean {
    return this.#place.isTried(request);
  }

  /** Null for a repeated key. Throws a ServiceError 403 for a cookie sent by a page of another origin. */
  partsOf(request: AccessRequest): { readonly key: string | null } {
    return { key: this.#place.read(request) ?? null };
  }

  identify(request: AccessRequest): Identity | Promise<Identity> {
    const key = this.#place.read(request);
    if (key === undefined) return 'repeated';
    const digest = hash('sha256', key, 'buffer');
    const { operation } = this.options;
    if (operation !== undefined) return callerOf(digest.toString('hex'), operation, request);
    // All keys are compared: otherwise the time would reveal which key matched.
    const [found] = this.#keys.filter((known) => timingSafeEqual(digest, known.digest));
    return found === undefined ? 'unknown-api-key' : { sub: found.name };
  }
}

/** Keys are stored as digests. The setting may also be a digest: `sha256:…`. */
function digestOf(value: string): Buffer {
  const [, written] = /^sha256:([0-9a-f]{64})$/i.exec(value) ?? [];
  return written === undefined ? hash('sha256', value, 'buffer') : Buffer.from(written, 'hex');
}

const refusals = [401, 403, 404];

/** The caller that the operation returns, unless it refuses the key. */
async function callerOf(key: string, operation: Handler, request: AccessRequest): Promise<Identity> {
  const held = shareOfResults();
  try {
    const { status, body = null } = await replyOf(operation, keyCall(key, request, held));
    if (refusals.includes(status) || body === null) return 'unknown-api-key';
    if (status >= 200 && status < 300 && typeof body === 'object' && !Array.isArray(body)) return body;
    throw new ServiceError(500, 'Internal server error', {
      log: { reason: `the operation that finds the caller of a key returned no object, or status ${status}` },
    });
  } finally {
    held.release();
  }
}

async function replyOf(operation: Handler, call: Call): Promise<Reply> {
  try {
    return await operation(call);
  } catch (error) {
    if (isFailure(error)) {
      if (refusals.includes(error.status)) return { status: error.status };
      throw new ServiceError(error.status, error.message);
    }
    if (!(error instanceof ServiceError) || error.status >= 500) throw error;
    if (!isRaised(error)) throw ofOperation(error);
    if (refusals.includes(error.status)) return { status: error.status };
    throw error;
  }
}

/** Whether a database rule deliberately rejects the key (RAISE, SIGNAL), like an exception. */
function isRaised({ details }: ServiceError): boolean {
  const code = details.log?.['code'];
  return code === 'P0001' || code === 1644 || /^PT4\d\d$/.test(String(code));
}

/** The operation only receives the digest of the key, so a database error is not caused by the client. */
function ofOperation({ status, details }: ServiceError): ServiceError {
  const reason = `the operation that finds the caller of a key ended with status ${status}`;
  return new ServiceError(500, 'Internal server error', {
    log: { reason, ...details.log },
    cause: details.cause,
  });
}

/** The call of the operation, which can read the key but nothing else from the request. */
function keyCall(key: string, { deadline }: AccessRequest, held: { take(bytes: number): void }): Call {
  return {
    param: (name) => (name === 'key' ? key : null),
    header: () => null,
    query: () => null,
    cookie: () => null,
    file: () => null,
    caller: null,
    body: null,
    deadline,
    hold: (bytes) => {
      held.take(bytes);
    },
    proceed() {
      if (performance.now() > deadline) throw new ServiceError(504, 'The request took too long');
    },
  };
}
