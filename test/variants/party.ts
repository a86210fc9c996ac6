/** The third party for random operations: its responses, and the compared parts of received requests. */
import type { Behaviour, Received } from '../helpers/third-party.js';

/** "A READ with GET or HEAD is sent once more if a kept connection turns out to be closed" (docs/reference/third-parties.md). */
export const sentAgain = /^GET \/cut\b/;

/** A request that fails the first time. How often it is sent depends on errors of others that are sent at the same time. */
export const sentTwice = /^[A-Z]+ \/flaky\//;

/** A received request: the number of its variant, and the rest. */
export function callOf({ request, headers, body }: Received): [number, string] {
  const [, method = '', number, rest = ''] = /^(\w+) \/v(\d+)(.*)$/s.exec(request) ?? [];
  const sent = headers['x-sent'] === undefined ? '' : ` X-Sent: ${String(headers['x-sent'])}`;
  return [Number(number), `${method} ${rest}${sent} ${headers['content-type'] ?? ''} ${body}`];
}

/** Responses depend only on the request, except for requests that fail the first time. */
export function thirdParty(): Behaviour {
  const counts = new Map<string, number>();
  return ({ url = '', method }, response, body) => {
    const [, , kind = '', value = ''] = url.split('?')[0]?.split('/') ?? [];
    const count = counts.get(url) ?? 0;
    counts.set(url, count + 1);
    const send = (status: number, json: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json', 'x-kind': `kind of ${value}` });
      // Varying delays, so that requests of a loop end in a different order than they start.
      setTimeout(
        () => response.end(JSON.stringify(json)),
        (7 * value.length + (value.codePointAt(0) ?? 0) * 5) % 13,
      );
    };
    const list = [{ id: 1, name: 'a' }, { id: 3, name: decodeURIComponent(value) }, { id: 2 }];
    if (kind === 'cut') response.destroy();
    else if (kind === 'empty') response.writeHead(204).end();
    else if (kind === 'text') response.writeHead(200, { 'content-type': 'text/plain' }).end(`text ${value}`);
    else if (kind === 'status') send([404, 422, 500, 200][value.length % 4] ?? 200, { value, message: 'no' });
    else if (kind === 'flaky' && count % 2 === 0) send(503, { value: 'busy' });
    else if (kind === 'list') send(200, list);
    else
      send(method === 'POST' ? 201 : 200, {
        value,
        list,
        deep: { flag: true, size: body.length },
        n: value.length,
      });
  };
}
