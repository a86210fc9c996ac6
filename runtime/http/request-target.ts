/** Takes the target of a request apart. */
import { decodeSegment } from './percent.js';

/** The two halves of a target. */
export interface RequestTarget {
  /** Still percent-encoded. */
  readonly path: string;
  /** What follows the `?`; empty when there is none. */
  readonly query: string;
}

const origin = /^https?:\/\/[^/?]*/i;

/** The path and the query of a target: `/news?x=1`, or the absolute form that proxies send, `http://host/news?x=1`. */
export function pathAndQuery(target: string): RequestTarget {
  const local = target.startsWith('/') ? target : withoutOrigin(target);
  const mark = local.indexOf('?');
  return mark === -1
    ? { path: local, query: '' }
    : { path: local.slice(0, mark), query: local.slice(mark + 1) };
}

/**
 * The same target in the one way to write it, so that whoever compares paths as they are written sees what the router sees:
 * without an origin, and percent-encoded only where it has to be. Throws a ServiceError 400 when it is not percent-encoded UTF-8.
 */
export function normalTarget(target: string): string {
  if (plainTarget.test(target)) return target;
  const { path, query } = pathAndQuery(target);
  const normal = path.split('/').map((segment) => encodeSegment(decodeSegment(segment)));
  return `${normal.join('/')}${query === '' ? '' : `?${query}`}`;
}

/** RFC 3986, section 3.3: a path in which nothing is encoded, and any query. */
const plainTarget = /^\/[\w\-.~!$&'()*+,;=:@/]*(?:\?|$)/;

function encodeSegment(text: string): string {
  return encodeURIComponent(text).replaceAll(/%(?:24|26|2B|2C|3A|3B|3D|40)/g, decodeURIComponent);
}

/** An absolute target may leave out the path: `http://host?x=1` asks for `/`. */
function withoutOrigin(target: string): string {
  const rest = target.replace(origin, '');
  return rest === target || rest.startsWith('/') ? rest : `/${rest}`;
}
