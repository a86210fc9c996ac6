/** Rewrites the URLs in a third party's response that the service follows: redirects and next pages refer to the local stub server. */
import type { Path } from '../../read/expression/ast.js';
import type { StubResponse } from './stub-server.js';

/** A third party played by a local stub server. */
export interface Played {
  /** Such as `https://api.example.com`; undefined if the origin is not known. */
  readonly origin: string | undefined;
  /** Paths of next-page URLs in response bodies. */
  readonly next: readonly Path[];
}

/** The response with the third party's URLs replaced by URLs of the stub server, `url`. */
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

/** The Link header with changed targets. */
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

/** Only the URLs are replaced, so that numbers keep their digits. */
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
    // A replacement function, because a URL may contain `&`-patterns such as `$&`.
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
