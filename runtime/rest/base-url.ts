/** The base URL of a REST datasource, a setting that is read when the service starts. */

/** The common start of all URLs of the datasource. */
export interface BaseUrl {
  /** `https://api.example.com` */
  readonly origin: string;
  /** The path as written: `/v1`; `/` if omitted. */
  readonly path: string;
  /** The query, without the question mark. Inserted before the query of each request. */
  readonly query: string;
  /** The user name in the URL. */
  readonly user: string | undefined;
  readonly password: string | undefined;
}

/** The reason why a string is not a base URL, without quoting the string. */
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
 * The URL of a request. `url` is absolute and returned unchanged, or a path (beginning with a slash) and query that are appended to the
 * base.
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
