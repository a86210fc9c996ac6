/** Takes the target of a request apart. */

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

/** An absolute target may leave out the path: `http://host?x=1` asks for `/`. */
function withoutOrigin(target: string): string {
  const rest = target.replace(origin, '');
  return rest === target || rest.startsWith('/') ? rest : `/${rest}`;
}
