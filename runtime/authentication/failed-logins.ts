/** Logs refused credentials: the first at once, later ones as a count. The credentials are never logged. */
import type { IncomingMessage } from 'node:http';
import type { Log } from '../server/log.js';

/** Milliseconds between two log entries. */
const interval = 60_000;
/** Maximum number of addresses in one entry. */
const maxNamed = 10;

/** Counts a request whose credentials were refused. One without any is not to be counted. */
export function logRefused(request: IncomingMessage, log: Log): void {
  const logins = failedLogins.get(log) ?? new FailedLogins(log);
  failedLogins.set(log, logins);
  logins.refused(request);
}

class FailedLogins {
  private count = 0;
  private readonly addresses = new Set<string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly log: Log) {}

  refused({ socket }: IncomingMessage): void {
    this.count += 1;
    if (this.addresses.size < maxNamed && socket.remoteAddress !== undefined)
      this.addresses.add(socket.remoteAddress);
    if (this.timer === undefined) this.logRefused();
  }

  private logRefused(): void {
    this.timer = undefined;
    if (this.count === 0) return;
    this.log.warn({ count: this.count, addresses: [...this.addresses] }, 'credentials were refused');
    this.count = 0;
    this.addresses.clear();
    this.timer = setTimeout(() => {
      this.logRefused();
    }, interval).unref();
  }
}

const failedLogins = new WeakMap<Log, FailedLogins>();
