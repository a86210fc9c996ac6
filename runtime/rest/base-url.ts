/** The base URL of a REST datasource: a setting that is read when the service starts. */

/** The beginning of every URL of the datasource. */
export interface BaseUrl {
  /** `https://api.example.com` */
  readonly origin: string;
  /** As written: `/v1`; `/` without a path. */
  readonly path: string;
  /** Without the question mark. It is put before the query of each request. */
  readonly query: string;
  /** From the user information of the URL. */
  readonly user: string | undefined;
  readonly password: string | undefined;
}

/** Why a string is not a base URL, without repeating the string. */
export type BaseUrlProblem = string;

/** Parses a base URL, or returns the error as one sentence. */
export function parseBaseUrl(text: string): BaseUrl | BaseUrlProblem {
  const written = text.trim();
  if (!URL.canParse(written) || !/^https?:\/\//i.test(written))
    return 'it is not an absolute http:// or https:// URL';
  if (written.includes('#')) return 'it has a fragment (#), which is never sent';
  const url = new URL(written);
  try {
    return {
      origin: url.origin,
      path: url.pathname,
      query: url.search.slice(1),
      user: url.username === '' ? undefined : decodeURIComponent(url.username),
      password: url.password === '' ? undefined : decodeURIComponent(url.password),
    };
  } catch {
    return 'the user or password in it is not percent-encoded UTF-8';
  }
}

/**
 * The URL of a request: `url` is absolute, or a path (with a slash before it) and a query that are appended to the base.
 * An absolute one is used as it is.
 */
export function resolveUrl(url: string, base: BaseUrl | undefined): string {
  if (!/^[/?]|^$/.test(url)) return url;
  if (base === undefined) throw new Error('a request without a host to a datasource without a url');
  const mark = url.indexOf('?');
  const [path, query] = mark === -1 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
  const whole = path === '' ? base.path : base.path.replace(/\/$/, '') + path;
  const queries = [base.query, query].filter((text) => text !== '').join('&');
  return `${base.origin}${whole}${queries === '' ? '' : `?${queries}`}`;
}
