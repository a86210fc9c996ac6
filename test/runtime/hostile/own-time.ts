/**
 * The time counted by the process itself, which stops while the process gets no processor time, so that long durations are due to the
 * software and not to a busy machine.
 */
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

/** In milliseconds. */
const step = 10;

/** Replaces `performance.now` by that time. */
export function countOwnTime(): void {
  let time = performance.now();
  performance.now = () => time;
  // Node does not catch up on missed intervals.
  setInterval(() => {
    time += step;
  }, step).unref();
}

/** Prints the milliseconds until the connection was closed, for each request to the URL. */
export function printDurations(url: string): void {
  subscribe('http.server.request.start', (message) => {
    const { request } = message as { readonly request: IncomingMessage };
    if (request.url !== url) return;
    const start = performance.now();
    request.socket.once('close', () => {
      console.log(JSON.stringify({ msg: 'connection closed', after: performance.now() - start }));
    });
  });
}
