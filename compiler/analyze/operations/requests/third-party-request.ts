/** Finds the endpoint of a third party's description that matches a request of the configuration. */
import { replaceReferences } from '../../../read/config/environment-reference.js';
import type { Datasource } from '../../../read/config/config-model.js';
import type { ApiEndpoint, ApiSchema } from '../../../read/openapi/api-model.js';
import { withoutSlashesAtEnd, type ThirdParty } from '../../../read/openapi/third-party/third-party.js';
import type { RequestUrl } from './request-url.js';
import { decoded } from '../../../read/openapi/documents.js';

export interface ThirdPartyRequest {
  readonly thirdParty: ThirdParty;
  /** The described endpoint; undefined if the path, or this method of it, is not described. */
  readonly endpoint: ApiEndpoint | undefined;
  /** The described path; undefined if there is none. */
  readonly path: string | undefined;
  /** The path segments below a server of the description. */
  readonly segments: readonly Segment[];
  /** False if the datasource's URL is not below any server of the description. */
  readonly isBelowServer: boolean;
  readonly query: readonly QueryParameter[];
  /** The schemas of 2xx response bodies; empty if one of them is not described. */
  readonly successes: readonly ApiSchema[];
  /** The schemas for other statuses. */
  readonly failures: readonly ApiSchema[];
}

/** The decoded text of a segment; undefined if it contains a value. */
export type Segment = string | undefined;

export interface QueryParameter {
  /** The name of the parameter; undefined if it contains a placeholder. */
  readonly name: string | undefined;
  /** The constant value of the parameter; undefined if it contains a placeholder. */
  readonly value: string | undefined;
}

/** The request in a third party's description; undefined if the endpoint or server depends on values. */
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

/** The request to which a stub responds. `target` includes the datasource's path; undefined parts are values. */
export function stubbedRequest(
  thirdParty: ThirdParty,
  method: string,
  target: readonly (string | undefined)[],
  datasource: Datasource,
): ThirdPartyRequest | undefined {
  const { path = '' } = baseOf(datasource);
  const text = target.map((part) => part ?? mark).join('');
  // The request is for another server of the third party.
  if (path !== '' && !text.startsWith(`${path}/`)) return undefined;
  return requestTo(thirdParty, method, text.slice(path.length), baseOf(datasource).path);
}

/** `basePath` is that of the datasource; undefined if only the environment specifies it. */
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

/** The response schemas. `default` applies to every status without its own response. */
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

/** A placeholder for a value, which cannot occur in URLs. */
const mark = '\0';

/** The datasource's origin and path; undefined if only the environment specifies them. */
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
  /** The matching described paths, if already known. */
  readonly paths?: readonly string[];
}

function below(full: string, path: string, { basePaths }: ThirdParty): Below {
  const longest = [...basePaths].sort((one, other) => other.length - one.length);
  const base = longest.find((one) => full === one || full.startsWith(`${one}/`));
  return base === undefined
    ? { rest: path, isBelow: false }
    : { rest: full.slice(base.length), isBelow: true };
}

/** If the datasource's path is unknown, it may end at the server's path or include the beginning of the described paths. */
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

/** The described paths that match the segments, best match first; `unknown` if a value could be one of several constant segments. */
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

/** The number of matching constant segments; undefined if the paths do not match. */
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

/** The described path that is most likely intended, and the segment of the request that differs. */
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
