/** The addresses in a third party's response that the service follows: redirects and next pages lead back to this machine. */
import type { Path } from '../../read/expression/ast.js';
import type { StubResponse } from './stub-server.js';

/** A third party that is played on this machine. */
export interface Played {
  /** `https://api.example.com`; undefined if its address is not known. */
  readonly origin: string | undefined;
  /** Where the bodies of its responses have the URL of a next page. */
  readonly next: readonly Path[];
}

/** The response with the addresses of the third party that are on `url`, the stub server, instead. */
export function leadToStub(response: StubResponse, { origin, next }: Played, url: string): StubResponse {
  if (origin === undefined) return response;
  const { headers = {}, body } = response;
  const there = (address: string): string => moved(address, origin, url);
  const changed = Object.entries(headers).map(([name, value]): [string, string] => {
    if (name === 'link') return [name, withTargets(value, there)];
    return [name, name === 'location' ? there(value) : value];
  });
  return {
    ...response,
    headers: Object.fromEntries(changed),
    ...(body === undefined ? {} : { body: withNextPages(body, next, there) }),
  };
}

/** The header Link with other targets. */
export function withTargets(link: string, change: (target: string) => string): string {
  return link.replaceAll(/<([^<>]*)>/g, (_, target: string) => `<${change(target)}>`);
}

function moved(address: string, origin: string, url: string): string {
  if (!URL.canParse(address)) return address;
  const found = new URL(address);
  if (found.origin !== new URL(origin).origin || found.username !== '' || found.password !== '')
    return address;
  return `${url}${found.pathname}${found.search}${found.hash}`;
}

/** The bytes stay as they are, but for these texts: numbers keep their digits. */
function withNextPages(
  body: string | Buffer,
  next: readonly Path[],
  there: (address: string) => string,
): string | Buffer {
  if (next.length === 0) return body;
  let text = String(body);
  const json = parsed(text);
  for (const path of next) {
    const value = valueAt(json, path);
    const address = typeof value === 'string' ? there(value) : value;
    if (typeof value !== 'string' || typeof address !== 'string' || address === value) continue;
    const [written, now] = [JSON.stringify(value), JSON.stringify(address)];
    // Not as a pattern of a replacement: `$&` may be in a URL.
    for (const one of [written, written.replaceAll('/', '\\/')]) text = text.replaceAll(one, () => now);
  }
  return text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function valueAt(json: unknown, path: Path): unknown {
  return path.reduce((value, step) => {
    if (step.kind === 'index') return Array.isArray(value) ? (value.at(step.index) as unknown) : undefined;
    if (step.kind === 'all' || typeof value !== 'object' || value === null) return undefined;
    return Object.hasOwn(value, step.name) ? (Reflect.get(value, step.name) as unknown) : undefined;
  }, json);
}
