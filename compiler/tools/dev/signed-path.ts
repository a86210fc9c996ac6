/** The request line of a signed webhook. */
import type { Config } from '../../read/config/config-model.js';

export interface SignedPath {
  readonly method: string;
  /** With the base path. */
  readonly path: string;
}

/**
 * The method and path of an operation that accepts the authentication: the first one, or the one with the path `wanted`. A `wanted` path of
 * no such operation is sent with POST. A string is the reason why there is none.
 */
export function signedPath(
  { operations, settings: { basePath } }: Config,
  authentication: string,
  wanted: string | undefined,
): SignedPath | string {
  const accepting = operations.flatMap(({ endpoint, authentications = [] }) =>
    endpoint !== undefined && authentications.some(({ value }) => value === authentication)
      ? [{ method: endpoint.method, path: `${basePath}${endpoint.path}` }]
      : [],
  );
  if (wanted !== undefined) {
    if (!/^\/[\x21-\x7e]*$/.test(wanted))
      return 'A path begins with a slash, and its other characters are percent-encoded.';
    const [plain = ''] = wanted.split('?', 1);
    const found = accepting.find(({ path }) => matches(path, plain));
    return { method: found?.method ?? 'POST', path: wanted };
  }
  const [first] = accepting;
  if (first === undefined) return `No operation accepts '${authentication}'. Write --path.`;
  return first.path.includes('{') ? `The path ${first.path} has parameters. Write --path.` : first;
}

function matches(template: string, path: string): boolean {
  const [parts, given] = [template.split('/'), path.split('/')];
  return (
    parts.length === given.length && parts.every((part, index) => part.includes('{') || part === given[index])
  );
}
