/** A third party's API description, of which only the paths used by requests are read. */
import { entryOf, mapAt, textAt, type MapNode, type Node } from '../../config/yaml/node.js';
import { Recording } from '../../diagnostics/recording.js';
import type { Report } from '../../diagnostics/report.js';
import type { Source } from '../../source.js';
import type { ApiEndpoint, Credential, WrittenDescription } from '../api-model.js';
import { Documents, type DescriptionInput } from '../documents.js';
import { namedParts, type NamedPart } from '../named-parts.js';
import type { Document } from '../node-in-file.js';
import { credentialsIn } from '../read-description.js';
import { EndpointReader } from '../read-endpoint.js';
import { SchemaReader } from '../read-api-schema.js';
import { securitySchemes, urlOfServer } from './outline.js';
import { upgradedPath } from './swagger.js';

/** Reads a third party's description; undefined (reported) if the input is not a description. Other errors in it are ignored. */
export function readThirdParty(input: DescriptionInput, report: Report): ThirdParty | undefined {
  const unheard = new Recording();
  const documents = new Documents(input, unheard, 'parts');
  const { main } = documents;
  const problem = main === undefined ? 'it is neither YAML nor JSON' : problemOf(main.root);
  if (main?.root.kind !== 'map' || problem !== undefined) {
    report.add('not-a-description', { source: input.source, start: 0, end: 0 }, { problem: problem ?? '' });
    return undefined;
  }
  return new ThirdParty(documents, main, main.root, unheard);
}

function problemOf(root: Node): string | undefined {
  if (root.kind !== 'map') return 'it is not a map';
  const openapi = textAt(root, 'openapi');
  if (openapi === undefined && textAt(root, 'swagger') === undefined) return "it has no field 'openapi'";
  if (openapi !== undefined && !/^3\.[01](?:\.|$)/.test(openapi))
    return `'${openapi}' is neither 3.0 nor 3.1`;
  return undefined;
}

export class ThirdParty {
  readonly source: Source;
  /** The paths as written, in file order. */
  readonly paths: readonly string[];
  /** The server paths without trailing slashes; a single empty path if there are no servers. */
  readonly basePaths: readonly string[];
  /** False if the description does not list servers, so that the datasource can use any URL. */
  readonly hasServer: boolean;
  readonly credentials: readonly Credential[];
  /** The description as written. */
  readonly written: WrittenDescription;
  readonly #parts: ReadonlyMap<string, NamedPart>;
  readonly #endpoints = new Map<string, readonly ApiEndpoint[]>();
  readonly #schemas: SchemaReader;

  constructor(
    private readonly documents: Documents,
    main: Document,
    private readonly root: MapNode,
    private readonly unheard: Report,
  ) {
    this.source = main.source;
    this.written = { documents, main, root };
    this.#schemas = new SchemaReader(documents, unheard);
    const paths = mapAt(root, 'paths');
    const parts = paths === undefined ? [] : namedParts({ node: paths, document: main }, documents);
    this.#parts = new Map(parts.map((part) => [part.key.text.value, part]));
    this.paths = [...this.#parts.keys()].filter((path) => path.startsWith('/'));
    const basePaths = basePathsOf(root);
    this.basePaths = basePaths.length === 0 ? [''] : basePaths;
    this.hasServer = basePaths.length > 0;
    this.credentials = credentialsIn(securitySchemes(root)?.entries ?? []);
  }

  /** The methods of a path. */
  endpoints(path: string): readonly ApiEndpoint[] {
    const known = this.#endpoints.get(path);
    if (known !== undefined) return known;
    const part = this.#parts.get(path);
    const reader = new EndpointReader(this.documents, this.#schemas, this.unheard, true);
    if (part !== undefined) {
      const { documents, root } = this;
      const { key, document } = part;
      const value =
        entryOf(root, 'swagger') === undefined
          ? part.value
          : upgradedPath(part.value, root, (node) => documents.resolve({ node, document })?.node);
      reader.readPath({ key, value }, { node: value, document });
    }
    this.#endpoints.set(path, reader.endpoints);
    return reader.endpoints;
  }
}

/** The server paths without trailing slashes, with variables replaced by defaults. Empty if there are no servers. */
export function basePathsOf(root: MapNode): readonly string[] {
  const basePath = textAt(root, 'basePath');
  const servers = entryOf(root, 'servers')?.value;
  const urls = (servers?.kind === 'list' ? servers.items : []).flatMap((server) => urlOfServer(server) ?? []);
  if (basePath !== undefined) urls.push(basePath);
  const paths = urls.map((url) => {
    const [path = ''] = url.replace(/^(?:[a-z][a-z\d+.-]*:)?\/\/[^/?#]*/i, '').split(/[?#]/, 1);
    return withoutSlashesAtEnd(path);
  });
  return [...new Set(paths)];
}

/** `/v1//` → `/v1` */
export function withoutSlashesAtEnd(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}
