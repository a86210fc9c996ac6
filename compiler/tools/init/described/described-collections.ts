/** The resource collections of an API description, found by the paths of its endpoints. */
import type { ApiEndpoint } from '../../../read/openapi/api-model.js';
import { listShape, objectShape, oneShape, successOf, type ObjectShape } from './described-shape.js';

/** Endpoints with the same path, ignoring trailing parameters. */
export interface Collection {
  /** Parts of the path other than parameters. */
  readonly names: readonly string[];
  readonly endpoints: ApiEndpoint[];
  /** Models of the collection's rows. */
  readonly models: Set<string>;
  hasItems: boolean;
  isFilled: boolean;
}

/** All collections, by `collectionKey`. */
export function collectionsOf(endpoints: readonly ApiEndpoint[]): ReadonlyMap<string, Collection> {
  const collections = new Map<string, Collection>();
  for (const endpoint of endpoints) {
    const key = collectionKey(endpoint);
    const names = endpoint.path.split('/').filter((part) => part !== '' && !part.includes('{'));
    if (names.length === 0) continue;
    const collection: Collection = collections.get(key) ?? {
      ...{ names, endpoints: [], models: new Set(), hasItems: false, isFilled: false },
    };
    collections.set(key, collection);
    collection.endpoints.push(endpoint);
    const { model } = rowOf(endpoint) ?? {};
    if (model !== undefined) collection.models.add(model);
    if (itemParameter(endpoint.path) !== undefined && endpoint.method !== 'POST') collection.hasItems = true;
    if (endpoint.method === 'POST' && successOf(endpoint).status === 201) collection.isFilled = true;
  }
  return collections;
}

/** The path without trailing parameters, which identifies the collection. */
export function collectionKey({ path }: ApiEndpoint): string {
  const parts = path.split('/').map((part) => (part.includes('{') ? '{}' : part));
  while (parts.at(-1) === '{}' || parts.at(-1) === '') parts.pop();
  return parts.join('/');
}

/** The parameter at the end of the path. */
export function itemParameter(path: string): string | undefined {
  return /\/\{([^{}/]+)\}$/.exec(path)?.[1];
}

/** The fields of the rows that an endpoint returns or, failing that, receives. */
export function rowOf(endpoint: ApiEndpoint): ObjectShape | undefined {
  const { json } = successOf(endpoint);
  if (endpoint.method === 'GET') {
    const list = listShape(json)?.item;
    if (list !== undefined || itemParameter(endpoint.path) === undefined) return list;
    return oneShape(json)?.row;
  }
  if (endpoint.method === 'DELETE') return undefined;
  const body = objectShape(endpoint.body?.json);
  // A change may return something else, such as a message.
  const row = oneShape(json)?.row;
  const isSame =
    body !== undefined && [...body.properties.keys()].some((name) => row?.properties.has(name) === true);
  return isSame ? row : body;
}

/** Whether rows are listed, read individually, or added. */
export function isAboutRows({ endpoints, hasItems, isFilled }: Collection): boolean {
  if (!endpoints.some((endpoint) => rowOf(endpoint) !== undefined)) return false;
  return hasItems || isFilled || endpoints.some((one) => one.method === 'GET' && rowOf(one) !== undefined);
}
