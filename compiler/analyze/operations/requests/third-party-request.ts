/** The request of a third party's description that a request of the configuration is. */
import { replaceReferences } from '../../../read/config/environment-reference.js';
import type { Datasource } from '../../../read/config/config-model.js';
import type { ApiEndpoint, ApiSchema } from '../../../read/openapi/api-model.js';
import { withoutSlashesAtEnd, type ThirdParty } from '../../../read/openapi/third-party/third-party.js';
import type { RequestUrl } from './request-url.js';
import { decoded } from '../../../read/openapi/documents.js';

export interface ThirdPartyRequest {
  readonly thirdParty: ThirdParty;
  /** Undefined where the description does not have the path, or not with this method. */
  readonly endpoint: ApiEndpoint | undefined;
  /** The described path; undefined if it is not described. */
  readonly path: string | undefined;
  /** The segments that are sent below a server of the description. */
  readonly segments: readonly Segment[];
  /** False where the URL of the datasource is not below a server of the description. */
  readonly isBelowServer: boolean;
  readonly query: readonly QueryParameter[];
  /** The schemas of the bodies of 2xx responses; empty if one of them is not described. */
  readonly successes: readonly ApiSchema[];
  /** The schemas for other statuses. */
  readonly failures: readonly ApiSchema[];
}

/** The text of a segment, without escapes; undefined where a value is a part of it. */
export type Segment = string | undefined;

export interface QueryParameter {
  /** Undefined where a value is a part of the name. */
  readonly name: string | undefined;
  /** Undefined where a value is a part of it. */
  readonly value: string | undefined;
}

/** Undefined where values decide which one it is, or which server it is sent to. */
export function thirdPartyRequest(
  thirdParty: ThirdParty,
  method: string,
  url: RequestUrl,
  datasource: Datasource,
): ThirdPartyRequest | undefined {
  if (url.kind === 'whole') return undefined;
  const base = baseOf(datasource);
  if (url.origin !== undefined && base.origin !== url.origin) return undefined;
  const written = url.pieces.map((piece) => (piece.kind === 'text' ? piece.text : mark)).join('');
  const text =
    url.origin !== undefined && written.startsWith(url.origin) ? written.slice(url.origin.length) : written;
  return requestTo(thirdParty, method, text, url.origin === undefined ? base.path : '');
}

/** The request that a stub responds to. `target`: with the path of the datasource; undefined parts are values. */
export function stubbedRequest(
  thirdParty: ThirdParty,
  method: string,
  target: readonly (string | undefined)[],
  datasource: Datasource,
): ThirdPartyRequest | undefined {
  const { path = '' } = baseOf(datasource);
  const text = target.map((part) => part ?? mark).join('');
  // Another server of the third party.
  if (path !== '' && !text.startsWith(`${path}/`)) return undefined;
  return requestTo(thirdParty, method, text.slice(path.length), baseOf(datasource).path);
}

/** `basePath`: that of the datasource; undefined where the environment alone knows it. */
function requestTo(
  thirdParty: ThirdParty,
  method: string,
  text: string,
  basePath: string | undefined,
): ThirdPartyRequest | undefined {
  const [path = '', query = ''] = text.split(/\?(.*)/s);
  const found =
    basePath === undefined ? belowUnknown(path, thirdParty) : below(basePath + path, path, thirdParty);
  const isOther = !thirdParty.hasServer && matchingPaths(segmentsOf(found.rest), thirdParty).length === 0;
  const segments = segmentsOf(isOther ? path : found.rest);
  const sent = { thirdParty, segments, isBelowServer: found.isBelow, query: queryOf(query) };
  const matching = found.paths ?? matchingPaths(segments, thirdParty);
  if (matching === 'unknown') return undefined;
  const endpoints = matching.flatMap((one) => thirdParty.endpoints(one));
  const endpoint = endpoints.find((one) => one.method === method);
  return { ...sent, endpoint, path: endpoint?.path ?? matching[0], ...bodiesOf(endpoint) };
}

/** `default` is used for every status without its own response. */
function bodiesOf(endpoint: ApiEndpoint | undefined): Pick<ThirdPartyRequest, 'successes' | 'failures'> {
  const responses = [...(endpoint?.responses ?? [])];
  const own = responses.filter(([status]) => status.startsWith('2'));
  const successes = (own.length > 0 ? own : responses.filter(([status]) => status === 'default')).filter(
    ([status]) => !/^20[45]$/.test(status),
  );
  const failures = responses.filter((response) => !successes.includes(response));
  const schemasOf = (some: typeof responses): ApiSchema[] => some.flatMap(([, { json }]) => json ?? []);
  const all = schemasOf(successes);
  return { successes: all.length < successes.length ? [] : all, failures: schemasOf(failures) };
}

/** A placeholder for a value, which cannot occur in a URL. */
const mark = '\0';

/** Both are undefined where the environment alone knows them. */
function baseOf({ url }: Datasource): {
  readonly origin: string | undefined;
  readonly path: string | undefined;
} {
  if (url === undefined) return { origin: undefined, path: '' };
  const resolved = replaceReferences(url.value.trim(), ({ fallback }) => fallback ?? mark);
  const [, origin, path = ''] = /^(https?:\/\/[^/?#]*)([^?#]*)/i.exec(resolved) ?? [];
  return {
    origin: origin?.includes(mark) === false ? origin.toLowerCase() : undefined,
    path:
      resolved.includes(mark) && !/^https?:\/\/[^/?#]*\//i.test(resolved)
        ? undefined
        : path.includes(mark)
          ? undefined
          : withoutSlashesAtEnd(path),
  };
}

interface Below {
  /** The path below the server. */
  readonly rest: string;
  readonly isBelow: boolean;
  /** The described paths, where they are known already. */
  readonly paths?: readonly string[];
}

function below(full: string, path: string, { basePaths }: ThirdParty): Below {
  const longest = [...basePaths].sort((one, other) => other.length - one.length);
  const base = longest.find((one) => full === one || full.startsWith(`${one}/`));
  return base === undefined
    ? { rest: path, isBelow: false }
    : { rest: full.slice(base.length), isBelow: true };
}

/** Where the path of the datasource is unknown it may be that of a server, or go on into the described paths. */
function belowUnknown(path: string, thirdParty: ThirdParty): Below {
  const segments = segmentsOf(path);
  if (matchingPaths(segments, thirdParty).length > 0) return { rest: path, isBelow: true };
  const inside = below(path, path, thirdParty);
  if (inside.isBelow && matchingPaths(segmentsOf(inside.rest), thirdParty).length > 0) return inside;
  const ends = thirdParty.paths.filter((one) => {
    const described = segmentsOf(one);
    return (
      described.length > segments.length && isMatch(segments, described.slice(-segments.length)) !== undefined
    );
  });
  return { rest: path, isBelow: true, ...(ends.length === 1 && { paths: ends }) };
}

/** The described paths that the segments fit best; `unknown` where a value may be one of several constant segments. */
function matchingPaths(segments: readonly Segment[], { paths }: ThirdParty): readonly string[] | 'unknown' {
  let best: { readonly path: string; readonly constants: number }[] = [];
  let isUnknown = false;
  for (const path of paths) {
    const described = segmentsOf(path);
    const constants = isMatch(segments, described);
    if (constants === 'unknown') isUnknown = true;
    else if (constants !== undefined) best.push({ path, constants });
  }
  best = best.sort((one, other) => other.constants - one.constants);
  if (best.length === 0 && isUnknown) return 'unknown';
  return best.map(({ path }) => path);
}

/** How many constant segments both have; undefined where they differ. */
function isMatch(sent: readonly Segment[], described: readonly Segment[]): number | 'unknown' | undefined {
  if (sent.length !== described.length) return undefined;
  let constants = 0;
  let isUnknown = false;
  for (const [index, segment] of sent.entries()) {
    const other = described[index] ?? '';
    if (other.includes('{')) continue;
    if (segment === undefined) isUnknown = true;
    else if (segment !== other) return undefined;
    else constants += 1;
  }
  return isUnknown ? 'unknown' : constants;
}

function segmentsOf(path: string): Segment[] {
  return path
    .replace(/^\//, '')
    .split('/')
    .map((segment) => (segment.includes(mark) ? undefined : decoded(segment)));
}

function queryOf(query: string): QueryParameter[] {
  return query
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', value = ''] = part.split(/=(.*)/s);
      const textOf = (text: string): string | undefined =>
        text.includes(mark) ? undefined : decoded(text.replaceAll('+', ' '));
      return { name: textOf(name), value: textOf(value) };
    });
}

/** The described path that is most likely meant, and the segment of the request that differs from it. */
export function meantPath(
  { segments, thirdParty }: ThirdPartyRequest,
  nearestOf: (name: string, candidates: readonly string[]) => string | undefined,
):
  | { readonly path: string; readonly segment?: { readonly written: string; readonly meant: string } }
  | undefined {
  for (const path of thirdParty.paths) {
    const described = segmentsOf(path);
    if (described.length !== segments.length) continue;
    const differing = segments.flatMap((segment, index) => {
      const other = described[index] ?? '';
      return other.includes('{') || segment === other ? [] : [{ written: segment, meant: other }];
    });
    const [only, ...others] = differing;
    if (only?.written === undefined || others.length > 0) continue;
    const { written, meant } = only;
    if (nearestOf(written, [meant]) !== undefined) return { path, segment: { written, meant } };
  }
  const text = `/${segments.map((segment) => segment ?? '{}').join('/')}`;
  const path = nearestOf(text, thirdParty.paths);
  return path === undefined ? undefined : { path };
}
