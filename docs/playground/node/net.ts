/** `node:net`: sockets that lead to the PostgreSQL of this worker. */
import { Buffer } from 'buffer';
import { EventEmitter } from 'events';

/** Passes one message of the protocol to the database, and returns its response. */
type Exchange = (message: Uint8Array) => Promise<Uint8Array>;

let database: Exchange | undefined;
/** Batches of messages, up to the one after which a client waits, take turns. */
let last: Promise<unknown> = Promise.resolve();

export function connectSockets(exchange: Exchange): void {
  database = exchange;
}

/** First bytes of the messages after which a client waits for a response: Sync, Query and Flush. */
const ends = new Set(['S', 'Q', 'H'].map((letter) => letter.charCodeAt(0)));
const terminate = 'X'.charCodeAt(0);

export class Socket extends EventEmitter {
  destroyed = false;
  writable = true;
  readable = true;
  connecting = false;
  writableLength = 0;
  bytesRead = 0;
  bytesWritten = 0;
  timeout = 0;
  remoteAddress = '127.0.0.1';
  remotePort = 1;
  private isStarted = false;
  private pending = Buffer.alloc(0);

  connect(..._values: unknown[]): this {
    queueMicrotask(() => this.emit('connect'));
    return this;
  }

  write(bytes: Uint8Array | string, ...rest: unknown[]): boolean {
    if (this.destroyed) return false;
    this.pending = Buffer.concat([this.pending, typeof bytes === 'string' ? Buffer.from(bytes) : bytes]);
    const messages = this.takeWhole();
    if (messages.length > 0) this.run(messages);
    const done = rest.find((one) => typeof one === 'function') as (() => void) | undefined;
    if (done !== undefined) queueMicrotask(done);
    return true;
  }

  /** The complete messages up to the last one after which the client waits. */
  private takeWhole(): Buffer[] {
    const found: Buffer[] = [];
    let at = 0;
    let end = 0;
    while (at + 5 <= this.pending.length) {
      // The message that starts a connection has no type.
      const head = this.isStarted ? 1 : 0;
      const length = head + this.pending.readUInt32BE(at + head);
      if (at + length > this.pending.length) break;
      const type = this.isStarted ? (this.pending[at] ?? 0) : 0;
      found.push(this.pending.subarray(at, at + length));
      at += length;
      if (type === terminate) {
        this.destroy();
        return [];
      }
      if (type === 0 || ends.has(type)) end = found.length;
      this.isStarted = true;
    }
    const taken = found.slice(0, end);
    this.pending = Buffer.from(this.pending.subarray(taken.reduce((sum, { length }) => sum + length, 0)));
    return taken.map((message) => Buffer.from(message));
  }

  private run(messages: readonly Buffer[]): void {
    last = last.then(async () => {
      for (const message of messages) {
        if (this.destroyed || database === undefined) return;
        try {
          const response = await database(message);
          this.bytesRead += response.length;
          if (response.length > 0) this.emit('data', Buffer.from(response));
        } catch (error) {
          this.destroy(error instanceof Error ? error : new Error(String(error)));
        }
      }
    });
  }

  end(): this {
    return this.destroy();
  }

  destroy(error?: Error): this {
    if (this.destroyed) return this;
    this.destroyed = true;
    this.writable = false;
    queueMicrotask(() => {
      if (error !== undefined) this.emit('error', error);
      this.emit('close');
    });
    return this;
  }

  setTimeout(milliseconds: number): this {
    this.timeout = milliseconds;
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  pause(): this {
    return this;
  }

  resume(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  cork(): void {
    // Every write is complete.
  }

  uncork(): void {
    // Every write is complete.
  }
}

export class Server extends EventEmitter {
  listening = false;

  listen(...values: unknown[]): this {
    this.listening = true;
    queueMicrotask(() => {
      this.emit('listening');
      const done = values.find((one) => typeof one === 'function') as (() => void) | undefined;
      done?.();
    });
    return this;
  }

  address(): { readonly port: number } {
    return { port: 8080 };
  }

  close(done?: () => void): this {
    this.listening = false;
    queueMicrotask(() => {
      this.emit('close');
      done?.();
    });
    return this;
  }

  unref(): this {
    return this;
  }
}

export function isIPv4(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256);
}

export function isIPv6(text: string): boolean {
  if (!text.includes(':') || !/^[\da-f:.]+$/i.test(text)) return false;
  try {
    return new URL(`http://[${text}]`).hostname !== '';
  } catch {
    return false;
  }
}

export function isIP(text: string): number {
  return isIPv4(text) ? 4 : isIPv6(text) ? 6 : 0;
}

/** Networks of IPv4 addresses, and single addresses: requests of the page come from 127.0.0.1. */
export class BlockList {
  readonly #networks: { readonly address: number; readonly bits: number }[] = [];
  readonly #addresses = new Set<string>();

  addAddress(address: string): void {
    this.#addresses.add(address);
  }

  addSubnet(address: string, bits: number): void {
    if (isIPv4(address)) this.#networks.push({ address: numberOf(address), bits });
    else this.#addresses.add(address);
  }

  check(address: string): boolean {
    if (this.#addresses.has(address)) return true;
    const networkOf = (one: number, bits: number): number => Math.floor(one / 2 ** (32 - bits));
    return (
      isIPv4(address) &&
      this.#networks.some(
        (one) => networkOf(one.address, one.bits) === networkOf(numberOf(address), one.bits),
      )
    );
  }
}

function numberOf(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}

export const createConnection = (): Socket => new Socket().connect();
export const connect = createConnection;
export const createServer = (): Server => new Server();
export default { Socket, Server, BlockList, isIP, isIPv4, isIPv6, connect, createConnection, createServer };
