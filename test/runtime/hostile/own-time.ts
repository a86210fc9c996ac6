/**
 * Time as counted by the process itself: it stops while the process gets no processor. Long durations are then caused by the software, not
 * by a busy machine.
 */
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

/** Milliseconds. */
const step = 10;

/** `performance.now` is that time from here on. */
export function countOwnTime(): void {
  let time = performance.now();
  performance.now = () => time;
  // Node does not make up for rounds that it could not run.
  setInterval(() => {
    time += step;
  }, step).unref();
}

/** Prints for each request of that URL the milliseconds until its connection was closed. */
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
