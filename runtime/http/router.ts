/** Finds the operation of a request, in time independent of the number of operations. */
import { decodeSegment } from './request-target.js';
import type { SettingsReader } from '../server/environment.js';
import type { Access, Endpoint, Handler, OperationModule, Route } from './route.js';

export type { Loaded } from './route.js';

/** The result of a lookup. */
export interface Match {
  /** The route; undefined if no operation serves the request. */
  readonly route: ServedRoute | undefined;
  /** The names of the path parameters in path order, and their decoded values. */
  readonly names: readonly string[];
  readonly values: readonly string[];
  /** The sorted methods of the path for `Allow`, if there is no route; empty if the path does not exist. */
  readonly allow: readonly string[];
}

/** A route whose handler may not have been loaded. */
export interface ServedRoute extends Endpoint {
  handler: Handler | undefined;
  /** Loads the handler. */
  readonly load: () => Promise<Handler>;
}

/** The operations by method and path. */
export interface Router {
  /** `path` is the percent-encoded path of the request. Throws a ServiceError 400 if it is not percent-encoded UTF-8. */
  find(method: string, path: string): Match;
  /** Whether an operation accepts uploads. */
  readonly readsFiles: boolean;
  /** Access controls that read settings of the service. */
  readonly readers: readonly SettingsReader[];
  /** Loads all operations one by one. Requests are served in between. */
  load(): Promise<void>;
  /** The route of the operation with this name, which must have an endpoint. */
  named(operation: string): ServedRoute;
  /** The route of a handler; undefined for an operation without an endpoint. */
  routeOf(handler: object): Promise<ServedRoute | undefined>;
}

/** A node in the tree of paths. */
interface Node {
  readonly constants: Map<string, Node>;
  /**
   * Segments with both parameters and constant characters, sorted by the number of constant characters (descending), then
   * alphabetically.
   */
  readonly parts: { readonly key: string; readonly constants: readonly string[]; readonly node: Node }[];
  /** A segment that consists of one parameter. */
  whole: Node | undefined;
  readonly routes: Map<string, { readonly route: ServedRoute; readonly names: readonly string[] }>;
}

/** Creates a router. The compiler guarantees that method and path pattern of each operation are unique. */
export function createRouter(routes: readonly Route[]): Router {
  const root = newNode();
  const served = routes.map(servedRoute);
  const byHandler = new Map<object, ServedRoute>();
  let byName: ReadonlyMap<string, ServedRoute> | undefined;
  for (const route of served) addRoute(root, route);

  return {
    readers: routes.flatMap(({ access }) => (access !== undefined && isReader(access) ? [access] : [])),

    readsFiles: routes.some(({ body }) => body?.readsFiles === true),

    async load() {
      for (const route of served) if (route.handler === undefined) await route.load();
    },

    async routeOf(handler) {
      // The modules of all operations that user code can call have been loaded.
      if (byHandler.size < served.length)
        for (const route of served) byHandler.set(await route.load(), route);
      return byHandler.get(handler);
    },

    named(operation) {
      byName ??= new Map(served.map((one) => [nameOf(one), one]));
      const route = byName.get(operation);
      if (route === undefined) throw new Error(`no route has the name ${operation}`);
      return route;
    },

    find(method, path) {
      const segments = path.split('/');
      // Segments are decoded before comparison: %2F does not split a segment, and /n%65ws is /news.
      if (path.includes('%'))
        for (const [index, segment] of segments.entries()) segments[index] = decodeSegment(segment);
      // A path begins with a slash. Other targets (`OPTIONS *`) have no route.
      if (segments[0] !== '') return miss([]);

      const search: Search = { method, segments, values: [], methods: undefined };
      return walk(root, search, 1) ?? miss(search.methods ?? []);
    },
  };
}

/** The configured name of an operation. */
export function nameOf(route: Endpoint): string {
  return route.operation ?? `${route.method} ${route.path}`;
}

function isReader(access: Access): access is Access & SettingsReader {
  return 'readSettings' in access;
}

function servedRoute(route: Route): ServedRoute {
  if ('handler' in route) return { ...route, load: () => Promise.resolve(route.handler) };
  const served: ServedRoute = {
    ...route,
    handler: undefined,
    load: async () => (served.handler ??= handlerOf(await route.load(), route)),
  };
  return served;
}

function handlerOf(module: OperationModule, { method, path }: Endpoint): Handler {
  const [handler, ...others] = Object.values(module);
  if (handler === undefined || others.length > 0)
    throw new Error(`the module of ${method} ${path} exports its handler and nothing else`);
  return handler;
}

interface Search {
  readonly method: string;
  readonly segments: readonly string[];
  readonly values: string[];
  /** Methods of the matching paths so far, until a path with the requested method is found. */
  methods: Set<string> | undefined;
}

/**
 * Constants take precedence over parameters in each segment. If a matching path does not have the requested method, the search
 * continues.
 */
function walk(node: Node, search: Search, index: number): Match | undefined {
  const segment = search.segments[index];
  if (segment === undefined) return finish(node, search);

  const constant = node.constants.get(segment);
  const match = constant && walk(constant, search, index + 1);
  if (match) return match;

  for (const part of node.parts) {
    const values = matchSegment(part.constants, segment);
    const found = values && walkWith(values, part.node, search, index);
    if (found) return found;
  }
  return node.whole && segment !== '' ? walkWith([segment], node.whole, search, index) : undefined;
}

function walkWith(values: readonly string[], node: Node, search: Search, index: number): Match | undefined {
  const before = search.values.length;
  search.values.push(...values);
  const match = walk(node, search, index + 1);
  if (!match) search.values.length = before;
  return match;
}

function finish(node: Node, search: Search): Match | undefined {
  // HEAD requests are served by GET, without the body.
  const found =
    node.routes.get(search.method) ?? (search.method === 'HEAD' ? node.routes.get('GET') : undefined);
  if (found) return { route: found.route, names: found.names, values: search.values, allow: [] };
  if (node.routes.size > 0) search.methods = new Set([...(search.methods ?? []), ...node.routes.keys()]);
  return undefined;
}

function miss(methods: Iterable<string>): Match {
  const allow = new Set(methods);
  if (allow.has('GET')) allow.add('HEAD');
  return { route: undefined, names: [], values: [], allow: [...allow].sort() };
}

function newNode(): Node {
  return { constants: new Map(), parts: [], whole: undefined, routes: new Map() };
}

function addRoute(root: Node, route: ServedRoute): void {
  const segments = parsePath(route.path);
  const end = segments.reduce(child, root);
  if (end.routes.has(route.method)) throw new Error(`two operations serve ${route.method} ${route.path}`);
  end.routes.set(route.method, { route, names: segments.flatMap((segment) => segment.names) });
}

function child(node: Node, pattern: SegmentPattern): Node {
  const key = pattern.constants.join('{}');
  if (pattern.names.length === 0) return getOrAdd(node.constants, key);
  if (key === '{}') return (node.whole ??= newNode());

  const known = node.parts.find((part) => part.key === key);
  if (known) return known.node;
  const added = { key, constants: pattern.constants, node: newNode() };
  node.parts.push(added);
  // A key contains `{}` for each parameter, so a longer key does not always have more constant characters.
  node.parts.sort(
    (a, b) => constantLength(b.constants) - constantLength(a.constants) || (a.key < b.key ? -1 : 1),
  );
  return added.node;
}

function getOrAdd(nodes: Map<string, Node>, key: string): Node {
  const known = nodes.get(key);
  if (known) return known;
  const added = newNode();
  nodes.set(key, added);
  return added;
}

function constantLength(constants: readonly string[]): number {
  return constants.join('').length;
}

/**
 * A segment: the constant strings around its parameters, and the parameter names.
 * `news` is [['news'], []], `{id}` is [['', ''], ['id']], `{x}-{y}.json` is [['', '-', '.json'], ['x', 'y']].
 */
export interface SegmentPattern {
  readonly constants: readonly string[];
  readonly names: readonly string[];
}

/** The segments of a path, which must begin with `/`. Other errors are reported by the compiler. */
export function parsePath(path: string): SegmentPattern[] {
  if (!path.startsWith('/')) throw new Error(`a path begins with a slash: ${path}`);
  return path.slice(1).split('/').map(parseSegment);
}

function parseSegment(segment: string): SegmentPattern {
  const constants: string[] = [];
  const names: string[] = [];
  let rest = segment;
  for (let open = rest.indexOf('{'); open !== -1; open = rest.indexOf('{')) {
    const close = rest.indexOf('}', open);
    const name = rest.slice(open + 1, close);
    if (close === -1 || name === '') throw new Error(`a parameter is {name}: ${segment}`);
    if (open === 0 && names.length > 0) throw new Error(`two parameters need text between them: ${segment}`);
    constants.push(decodeConstant(rest.slice(0, open)));
    names.push(name);
    rest = rest.slice(close + 1);
  }
  constants.push(decodeConstant(rest));
  return { constants, names };
}

/** Decoded, because request paths are decoded before comparison: `/caf%C3%A9` and `/café` are the same path. */
function decodeConstant(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * The parameter values in a decoded segment; undefined if the segment does not match.
 * Values are never empty. If there are several ways to match, earlier parameters are as short as possible.
 */
export function matchSegment(constants: readonly string[], segment: string): string[] | undefined {
  const prefix = constants[0] ?? '';
  const suffix = constants.at(-1) ?? '';
  const end = segment.length - suffix.length;
  if (!segment.startsWith(prefix) || !segment.endsWith(suffix)) return undefined;

  const values: string[] = [];
  let start = prefix.length;
  for (const constant of constants.slice(1, -1)) {
    const next = segment.indexOf(constant, start + 1);
    if (next === -1) return undefined;
    values.push(segment.slice(start, next));
    start = next + constant.length;
  }
  if (start >= end) return undefined;
  values.push(segment.slice(start, end));
  return values;
}
