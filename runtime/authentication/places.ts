/** Locations of credentials in a request. Each location is read separately, and repeated credentials are rejected. */
import { withoutSpace } from '../http/header-space.js';
import { hideParameter } from '../http/query-map.js';
import { cookiesOf, parseQuery } from '../http/request-target.js';
import type { AccessRequest } from '../http/route.js';
import type { Environment } from '../server/environment.js';
import { SendingPages } from './sending-pages.js';

export interface CredentialPlace {
  /** The identifier of the location, shared by all authentications that read it. */
  readonly name: string;
  readSettings?(environment: Environment): void;
  /** Whether the request has a value in this location. */
  isTried(request: AccessRequest): boolean;
  /** The credentials; undefined if repeated. Throws a ServiceError 403 for cookies sent by a page of another origin. */
  read(request: AccessRequest): string | undefined;
}

/** The credentials after a scheme in the `Authorization` header, as in `Bearer …`. */
export function authorizationPlace(scheme: string): CredentialPlace {
  const wanted = `${scheme.toLowerCase()} `;
  const written = ({ request }: AccessRequest): string => request.headers.authorization ?? '';
  return {
    name: `Authorization ${wanted}`,
    isTried: (request) => `${written(request)} `.toLowerCase().startsWith(wanted),
    read: (request) => withoutSpace(written(request).slice(wanted.length)),
  };
}

/** A header other than `Authorization`. */
export function headerPlace(header: string): CredentialPlace {
  const name = header.toLowerCase();
  return {
    name: `header ${name}`,
    isTried: ({ request }) => request.headers[name] !== undefined,
    read: ({ request }) => only(request.headersDistinct[name] ?? []),
  };
}

/** A query parameter. */
export function queryPlace(name: string): CredentialPlace {
  hideParameter(name);
  return {
    name: `query ${name}`,
    isTried: ({ query }) => parseQuery(query).exactly(name) !== undefined,
    read({ query }) {
      const value = parseQuery(query).exactly(name);
      return typeof value === 'string' ? value : undefined;
    },
  };
}

/**
 * A cookie. Browsers send cookies with requests from any page, so requests that can change data must come from a page of this service
 * or of CORS_ORIGIN.
 */
export function cookiePlace(name: string): CredentialPlace {
  return new CookiePlace(name);
}

class CookiePlace implements CredentialPlace {
  readonly name: string;
  readonly #pages = new SendingPages();

  constructor(private readonly cookie: string) {
    this.name = `cookie ${cookie}`;
  }

  readSettings(environment: Environment): void {
    this.#pages.readSettings(environment);
  }

  isTried({ request }: AccessRequest): boolean {
    return cookiesOf(request.headers.cookie, this.cookie).length > 0;
  }

  read(access: AccessRequest): string | undefined {
    this.#pages.requireKnown(access);
    return only(cookiesOf(access.request.headers.cookie, this.cookie));
  }
}

function only(values: readonly string[]): string | undefined {
  return values.length === 1 ? values[0] : undefined;
}
