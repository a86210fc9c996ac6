/** All other modules of Node, by the names that the runtime, the compiler and their packages import. */
import { Buffer } from 'buffer';
import { EventEmitter } from 'events';
import {
  Duplex,
  finished,
  PassThrough,
  pipeline,
  Readable,
  Stream,
  Transform,
  Writable,
} from 'readable-stream';
import { files } from './files.js';

export {
  Buffer,
  Duplex,
  EventEmitter,
  finished,
  PassThrough,
  pipeline,
  Readable,
  Stream,
  Transform,
  Writable,
};

type Callback = (...values: unknown[]) => void;

function absent(name: string): () => never {
  return () => {
    throw new Error(`The playground has no ${name}`);
  };
}

// events
export const once = (emitter: EventEmitter, event: string): Promise<unknown[]> =>
  new Promise((resolve) =>
    emitter.once(event, (...values: unknown[]) => {
      resolve(values);
    }),
  );
// timers/promises
export const setTimeout = (milliseconds: number, value?: unknown): Promise<unknown> =>
  new Promise((resolve) =>
    globalThis.setTimeout(() => {
      resolve(value);
    }, milliseconds),
  );
export const setImmediate = (value?: unknown): Promise<unknown> => setTimeout(0, value);
// buffer
export const isUtf8 = (bytes: Uint8Array): boolean => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
};
// util
export const inspect = Object.assign(
  (value: unknown): string => (value instanceof Error ? (value.stack ?? String(value)) : String(value)),
  { custom: Symbol('inspect') },
);
export const promisify =
  (run: (...values: unknown[]) => void) =>
  (...values: unknown[]) =>
    new Promise((resolve, reject) => {
      run(...values, (error: unknown, value: unknown) => {
        if (error === null || error === undefined) resolve(value);
        // oxlint-disable-next-line prefer-promise-reject-errors
        else reject(error as Error);
      });
    });
export const types = {
  isProxy: () => false,
  isDate: (value: unknown) => value instanceof Date,
  isPromise: (value: unknown) => value instanceof Promise,
  isExternal: () => false,
};
export const { isDate } = types;
export const styleText = (_style: unknown, text: string): string => text;
export const deprecate = <Run>(run: Run): Run => run;
export const inherits = (one: { prototype: object }, parent: { prototype: object }): void => {
  Object.setPrototypeOf(one.prototype, parent.prototype);
};
// diagnostics_channel
export const channel = (): object => ({
  hasSubscribers: false,
  publish: () => undefined,
  subscribe: () => undefined,
});
export const subscribe = (): void => undefined;
export const tracingChannel = (): object => ({
  hasSubscribers: false,
  traceSync: (run: () => unknown) => run(),
});
// async_hooks: a browser does not follow tasks, so the current value is that of the newest run that has not ended. This is enough for
// traces: requests come one after the other, and so do the steps of a traced one.
export class AsyncLocalStorage<Store> {
  #running: readonly { readonly store: Store | undefined }[] = [];

  run<Result>(store: Store | undefined, run: (...values: unknown[]) => Result, ...values: unknown[]): Result {
    const entry = { store };
    const end = (): void => {
      this.#running = this.#running.filter((one) => one !== entry);
    };
    this.#running = [...this.#running, entry];
    let result: Result | undefined;
    try {
      result = run(...values);
      return result instanceof Promise ? (result.finally(end) as Result) : result;
    } finally {
      if (!(result instanceof Promise)) end();
    }
  }

  exit<Result>(run: (...values: unknown[]) => Result, ...values: unknown[]): Result {
    return this.run(undefined, run, ...values);
  }

  getStore(): Store | undefined {
    return this.#running.at(-1)?.store;
  }
}
export class AsyncResource {
  runInAsyncScope(run: Callback, _self: unknown, ...values: unknown[]): void {
    run(...values);
  }
}
// fs
const missing = (path: unknown): never => {
  throw Object.assign(new Error(`ENOENT: no such file, open '${String(path)}'`), { code: 'ENOENT' });
};
const nameOf = (path: unknown): string => (path instanceof URL ? path.pathname : String(path));
export const existsSync = (path: unknown): boolean => files.has(nameOf(path));
export const readFileSync = (path: unknown): string => files.get(nameOf(path)) ?? missing(path);
export const writeSync = (_file: number, text: string): number => text.length;
export const write = (...values: unknown[]): void => {
  const done = values.at(-1);
  if (typeof done === 'function')
    queueMicrotask(() => {
      (done as Callback)(null, 0);
    });
};
export const readdirSync = missing;
export const statSync = missing;
export const fstatSync = missing;
export const writeFileSync = absent('files');
export const mkdirSync = absent('files');
export const renameSync = absent('files');
export const rmSync = absent('files');
export const createReadStream = absent('files');
export const watch = absent('files');
export const promises = {};
// v8
export const getHeapStatistics = (): object => ({
  heap_size_limit: 2 ** 31,
  total_heap_size: 0,
  used_heap_size: 0,
});
export const setFlagsFromString = (): void => undefined;
// zlib
export const gzipSync = (bytes: Uint8Array): Uint8Array => bytes;
export const gunzipSync = absent('zlib');
export const gzip = gunzipSync;
export const gunzip = gunzipSync;
export const inflate = gunzipSync;
export const inflateRaw = gunzipSync;
export const brotliCompress = gunzipSync;
export const brotliDecompress = gunzipSync;
export const createGzip = gunzipSync;
export const createBrotliCompress = gunzipSync;
export const constants = {};
// os, url, module, perf_hooks, tls, cluster, child_process
export const homedir = (): string => '/';
export const totalmem = (): number => 2 ** 32;
export const domainToASCII = (name: string): string => new URL(`http://${name}`).hostname;
export const { PerformanceObserver } = globalThis;
export const tmpdir = (): string => '/tmp';
export const hostname = (): string => 'playground';
export const availableParallelism = (): number => 1;
export const cpus = (): readonly never[] => [];
export const platform = (): string => 'linux';
export const fileURLToPath = (url: unknown): string => nameOf(new URL(String(url)));
export const pathToFileURL = (path: string): URL => new URL(`file://${path}`);
export const createRequire = (): object =>
  Object.assign(absent('packages'), { resolve: (name: string) => `/node_modules/${name}` });
export const monitorEventLoopDelay = absent('measurements');
export const { performance } = globalThis;
export const connect = absent('TLS');
export const checkServerIdentity = absent('TLS');
export const rootCertificates: readonly string[] = [];
export const spawn = absent('processes');
export const fork = absent('processes');
export class Agent {}
export const request = absent('requests to third parties');
export const lookup = absent('names');

export default {
  ...{
    isPrimary: true,
    isMaster: true,
    isWorker: false,
    EventEmitter,
    Readable,
    Writable,
    Transform,
    Stream,
  },
  ...{
    existsSync,
    readFileSync,
    promises,
    types,
    inspect,
    promisify,
    inherits,
    isDate,
    deprecate,
    setTimeout,
  },
};
