/** Globals of Node that the runtime, the compiler and their packages use. Imported before everything else in a worker. */
import { Buffer } from 'buffer';
import { EventEmitter } from 'events';

/** The package has no base64url, and its base64 reads both alphabets. */
function addBase64url(): void {
  const { from, isEncoding } = Buffer;
  const { toString } = Buffer.prototype;
  const known = (encoding: unknown): unknown => (encoding === 'base64url' ? 'base64' : encoding);
  Object.assign(Buffer, {
    from: (value: unknown, encoding?: unknown, ...rest: unknown[]) =>
      Reflect.apply(from, Buffer, [value, known(encoding), ...rest]) as Buffer,
    isEncoding: (encoding: string) => encoding === 'base64url' || isEncoding(encoding),
  });
  Buffer.prototype.toString = function (this: Buffer, encoding?: string, ...rest: number[]) {
    const text = Reflect.apply(toString, this, [known(encoding), ...rest]) as string;
    return encoding === 'base64url'
      ? text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
      : text;
  };
}

addBase64url();

/** Standard error of the service since its start. */
export const printed: string[] = [];

const nodeProcess = Object.assign(new EventEmitter(), {
  env: {} as Record<string, string | undefined>,
  argv: ['node', 'main.js'],
  pid: 1,
  platform: 'linux',
  version: 'v20.19.0',
  // Without `node`, PGlite knows that it is in a browser.
  versions: {},
  stdout: Object.assign(new EventEmitter(), { isTTY: false, write: () => true }),
  stderr: Object.assign(new EventEmitter(), {
    isTTY: false,
    write: (text: string) => {
      printed.push(text.trim());
      return true;
    },
  }),
  exit: (status: number) => {
    throw new Error(`The service ended with status ${status}`);
  },
  cwd: () => '/',
  uptime: () => performance.now() / 1000,
  memoryUsage: () => ({ rss: 0, heapUsed: 0, heapTotal: 0, external: 0, arrayBuffers: 0 }),
  constrainedMemory: () => 0,
  availableMemory: () => 2 ** 31,
  emitWarning: () => undefined,
  hrtime: Object.assign(() => [0, 0], { bigint: () => BigInt(Math.round(performance.now() * 1e6)) }),
  nextTick: (run: (...values: unknown[]) => void, ...values: unknown[]) => {
    queueMicrotask(() => {
      run(...values);
    });
  },
});

Object.assign(globalThis, {
  Buffer,
  global: globalThis,
  process: nodeProcess,
  setImmediate: (run: (...values: unknown[]) => void, ...values: unknown[]) => setTimeout(run, 0, ...values),
});

// Timers of a browser are numbers, which keep no process alive.
Object.assign(Number.prototype, {
  unref(this: number) {
    return Number(this);
  },
  ref(this: number) {
    return Number(this);
  },
});

export { nodeProcess };
