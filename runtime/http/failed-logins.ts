/** Logs credentials that were refused: the first ones at once, of many only how many they were. Never what was sent. */
import type { IncomingMessage } from 'node:http';
import type { Log } from '../server/log.js';

/** Milliseconds between two entries. */
const interval = 60_000;
/** Addresses that one entry names. */
const mostNamed = 10;

export class FailedLogins {
  private count = 0;
  private readonly addresses = new Set<string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly log: Log) {}

  /** A request without credentials is only asked for them. */
  refused({ headers, socket }: IncomingMessage): void {
    if (headers.authorization === undefined) return;
    this.count += 1;
    if (this.addresses.size < mostNamed && socket.remoteAddress !== undefined)
      this.addresses.add(socket.remoteAddress);
    if (this.timer === undefined) this.tell();
  }

  private tell(): void {
    this.timer = undefined;
    if (this.count === 0) return;
    this.log.warn({ count: this.count, addresses: [...this.addresses] }, 'credentials were refused');
    this.count = 0;
    this.addresses.clear();
    this.timer = setTimeout(() => {
      this.tell();
    }, interval).unref();
  }
}
