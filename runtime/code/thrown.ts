/**
 * Converts an error thrown by user code to the error that ends the call: a failure of `fail`, or a 500 that is logged with the stack of
 * the user code.
 */
import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { FailureSite } from '../sql/failure.js';
import {
  fail,
  isFailure,
  ServiceError,
  type ErrorInfo,
  type Failure,
  type HeaderList,
} from '../handler/reply.js';
import { copyOf } from './copy-json.js';

/** The call of a user function during which the error was thrown. */
export interface CodeSite {
  readonly function: string;
  /** Undefined for a function that an expression calls. */
  readonly fulfillment?: string;
}

/** Errors that the runtime has passed to user code, each with the error that ends the call if user code rethrows it. */
const known = new WeakMap<object, (site: Omit<FailureSite, 'datasource'>) => ServiceError>();

/** Registers an error passed to user code. If user code rethrows it, the call ends as if user code had not caught it. */
export function passesOn(error: Error, toEnd: (site: Omit<FailureSite, 'datasource'>) => ServiceError): void {
  known.set(error, toEnd);
}

/** The error that ends the call if user code rethrows an error of the runtime; undefined for other errors. */
export function passedOn(thrown: unknown, site: Omit<FailureSite, 'datasource'>): ServiceError | undefined {
  const toEnd = isObject(thrown) ? known.get(thrown) : undefined;
  return toEnd && withoutRetry(toEnd(site));
}

/** The error that ends the call. Never fails, even if reading properties of the thrown value throws. */
export function endOf(thrown: unknown, site: CodeSite): Failure | ServiceError {
  const { fulfillment } = site;
  const passed = passedOn(thrown, fulfillment === undefined ? {} : { fulfillment });
  if (passed !== undefined) return passed;
  const failure = attempt(() => (isFailure(thrown) ? validFailure(thrown) : undefined));
  if (failure !== undefined) return failure;
  const log = { ...site, thrown: kindOf(thrown) };
  const cause = isObject(thrown) ? described(thrown, 2) : undefined;
  return new ServiceError(500, 'Internal server error', { log, ...(cause === undefined ? {} : { cause }) });
}

/** Removes `retryAfter`, because a retry could repeat effects of the function. */
function withoutRetry({ status, message, details }: ServiceError): ServiceError {
  const { retryAfter: _retryAfter, ...others } = details;
  return new ServiceError(status, message, others);
}

/** The failure, if its status, message and headers are valid; otherwise undefined. */
function validFailure({ status, message, header, code, body }: Failure): Failure | undefined {
  const isSent = Number.isInteger(status) && status >= 200 && status <= 599;
  const hasBody = status !== 204 && status !== 205 && status !== 304;
  if (!isSent || !hasBody || typeof message !== 'string') return undefined;
  // The header function is called here, so that its errors cannot break the response.
  const lines = header === undefined ? [] : validHeaders((header as () => HeaderList)());
  return fail(status, message, {
    ...(lines.length === 0 ? {} : { header: () => lines }),
    ...(typeof code === 'string' ? { code } : {}),
    ...(body === undefined ? {} : { body: (error: ErrorInfo) => copyOf(body(error)).value }),
  });
}

/** Copies the headers. Throws if a header is invalid. */
function validHeaders(lines: HeaderList): HeaderList {
  if (lines.length % 2 !== 0) throw new TypeError('each header has a name and a value');
  return lines.map((part, index) => {
    const isName = index % 2 === 0;
    if (isName && typeof part !== 'string') throw new TypeError('the name of a header is a string');
    const values = [part].flat();
    for (const value of values) {
      if (typeof value !== 'string') throw new TypeError('a header is a string');
      if (isName) validateHeaderName(value);
      else validateHeaderValue('header', value);
    }
    return typeof part === 'string' ? part : values;
  });
}

/** The type of the value for the log, without its content. */
function kindOf(thrown: unknown): string {
  if (thrown === null) return 'null';
  if (!isObject(thrown)) return typeof thrown;
  if (attempt(() => isFailure(thrown)) === true) return 'a failure with an invalid status, message or header';
  return nameOf(thrown);
}

function nameOf(thrown: object): string {
  const name = attempt((): unknown => Reflect.get(thrown, 'name'));
  return typeof name === 'string' && /^\w{1,60}$/.test(name) ? name : 'an object';
}

/** Errors of the JavaScript language, whose messages contain code but no data. */
const ofLanguage = [TypeError, RangeError, ReferenceError];

/** A plain error with the loggable parts of this one. Its properties are read only once, here. */
function described(thrown: object, depth: number): Error {
  const read = (name: string): unknown => attempt((): unknown => Reflect.get(thrown, name));
  const kind = ofLanguage.find(
    (one) => attempt((): unknown => Object.getPrototypeOf(thrown)) === one.prototype,
  );
  const message = read('message');
  const error = new (kind ?? Error)(kind !== undefined && typeof message === 'string' ? message : '');
  if (kind === undefined) error.name = nameOf(thrown);
  const stack = read('stack');
  error.stack = typeof stack === 'string' ? stack : '';
  for (const field of ['code', 'errno', 'sqlState']) {
    const value = read(field);
    if (typeof value === 'string' || typeof value === 'number') Object.assign(error, { [field]: value });
  }
  const errors = read('errors');
  const cause = read('cause') ?? (Array.isArray(errors) ? (errors as unknown[])[0] : undefined);
  if (isObject(cause) && depth > 0) error.cause = described(cause, depth - 1);
  return error;
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** The result of `read`; undefined if it throws, as getters and proxies can. */
function attempt<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
