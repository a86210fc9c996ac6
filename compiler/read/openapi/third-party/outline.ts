/** Reads other facts from a third party's description: server URL, login, example responses. */
import { entryOf, mapAt, textAt, type MapNode, type Node } from '../../config/yaml/node.js';
import type { WrittenDescription } from '../api-model.js';
import { jsonValue } from '../json-value.js';
import { namedParts } from '../named-parts.js';
import type { NodeInFile } from '../node-in-file.js';
import { referenceIn } from '../pointer.js';

/** How a client authenticates. */
export type LogIn =
  | { readonly kind: 'oauth2'; readonly tokenUrl: string }
  | { readonly kind: 'bearer' | 'basic' }
  | { readonly kind: 'header' | 'query'; readonly name: string };

/** The URL of the first server, with variables replaced by defaults; undefined unless it is absolute. */
export function serverUrl({ root }: WrittenDescription): string | undefined {
  const host = textAt(root, 'host');
  if (host !== undefined) {
    const schemes = entryOf(root, 'schemes')?.value;
    const isPlain =
      schemes?.kind === 'list' &&
      schemes.items.every((item) => item.kind === 'scalar' && item.value === 'http');
    return wholeUrl(`${isPlain ? 'http' : 'https'}://${host}${textAt(root, 'basePath') ?? ''}`);
  }
  const servers = entryOf(root, 'servers')?.value;
  const first = servers?.kind === 'list' ? servers.items[0] : undefined;
  const url = first && urlOfServer(first);
  return url === undefined ? undefined : wholeUrl(url);
}

/** The URL of a server, with variables replaced by defaults. */
export function urlOfServer(server: Node): string | undefined {
  const url = server.kind === 'map' ? textAt(server, 'url') : undefined;
  if (server.kind !== 'map' || url === undefined) return undefined;
  const variables = mapAt(server, 'variables');
  return url.replaceAll(/\{([^{}]*)\}/g, (whole, name: string) => {
    const variable = variables && mapAt(variables, name);
    return (variable && textAt(variable, 'default')) ?? whole;
  });
}

function wholeUrl(url: string): string | undefined {
  const isWhole = /^https?:\/\/[^\s{}?#@$]+$/i.test(url) && URL.canParse(url);
  return isWhole ? url.replace(/(?<!\/)\/+$/, '') : undefined;
}

/** The security schemes in OpenAPI or Swagger. */
export function securitySchemes(root: MapNode): MapNode | undefined {
  return mapAt(mapAt(root, 'components') ?? root, 'securitySchemes') ?? mapAt(root, 'securityDefinitions');
}

/** The first authentication method that its requests accept and that can be configured. */
export function logInOf(written: WrittenDescription): LogIn | undefined {
  const { root } = written;
  const schemes = securitySchemes(root);
  const security = entryOf(root, 'security')?.value;
  const named = (security?.kind === 'list' ? security.items : []).flatMap((item) =>
    item.kind === 'map' ? item.entries.map(({ key }) => key.text.value) : [],
  );
  const all = schemes?.entries.map(({ key }) => key.text.value) ?? [];
  const found = [...new Set([...named, ...all])].flatMap((name) => {
    const node = schemes && entryOf(schemes, name)?.value;
    const scheme = node && mapBehind({ node, document: written.main }, written);
    return (scheme && logInBy(scheme)) ?? [];
  });
  return found[0];
}

function logInBy(scheme: MapNode): LogIn | undefined {
  const name = textAt(scheme, 'name');
  switch (textAt(scheme, 'type')) {
    case 'basic':
      return { kind: 'basic' };
    case 'http': {
      const word = textAt(scheme, 'scheme')?.toLowerCase();
      return word === 'basic' || word === 'bearer' ? { kind: word } : undefined;
    }
    case 'apiKey': {
      const place = textAt(scheme, 'in');
      return name !== undefined && (place === 'header' || place === 'query')
        ? { kind: place, name }
        : undefined;
    }
    case 'oauth2': {
      const flow = mapAt(mapAt(scheme, 'flows') ?? scheme, 'clientCredentials') ?? scheme;
      const isOwn = flow !== scheme || textAt(scheme, 'flow') === 'application';
      const tokenUrl = isOwn ? textAt(flow, 'tokenUrl') : undefined;
      return tokenUrl !== undefined && /^https:\/\/[^\s{}$]+$/.test(tokenUrl)
        ? { kind: 'oauth2', tokenUrl }
        : { kind: 'bearer' };
    }
    case 'openIdConnect':
      return { kind: 'bearer' };
    default:
      return undefined;
  }
}

/** The methods of a path, without reading their schemas. */
export function methodsOf(written: WrittenDescription, path: string): readonly string[] {
  const item = behind(mapAt(written.root, 'paths'), path, written);
  return item?.map.entries.map(({ key }) => key.text.value.toUpperCase()) ?? [];
}

/** An example of a JSON response; undefined if there is none. */
export function exampleOfResponse(
  written: WrittenDescription,
  { path, method }: { readonly path: string; readonly method: string },
  status: string,
): unknown {
  const item = behind(mapAt(written.root, 'paths'), path, written);
  const operation = item && behind(item.map, method.toLowerCase(), written, item.document);
  const responses = operation && behind(operation.map, 'responses', written, operation.document);
  const response = responses && behind(responses.map, status, written, responses.document);
  const content = response && behind(response.map, 'content', written, response.document);
  const ofSwagger = response && mapAt(response.map, 'examples');
  const old = ofSwagger && entryOf(ofSwagger, 'application/json')?.value;
  if (old !== undefined) return jsonValue(old);
  const type = content?.map.entries.find(({ key }) => /[/+]json\b/.test(key.text.value))?.key.text.value;
  const media =
    content && type !== undefined ? behind(content.map, type, written, content.document) : undefined;
  if (media === undefined) return undefined;
  const own = entryOf(media.map, 'example')?.value;
  if (own !== undefined) return jsonValue(own);
  const examples = behind(media.map, 'examples', written, media.document);
  const [first] = examples?.map.entries ?? [];
  const example = first && examples && behind(examples.map, first.key.text.value, written, examples.document);
  const value = example && entryOf(example.map, 'value')?.value;
  if (value !== undefined) return jsonValue(value);
  const schema = behind(media.map, 'schema', written, media.document);
  const ofSchema = schema && entryOf(schema.map, 'example')?.value;
  return ofSchema && jsonValue(ofSchema);
}

interface MapInFile {
  readonly map: MapNode;
  readonly document: NodeInFile['document'];
}

/** The map under a key, after following references, including a `$ref` among the keys. */
function behind(
  map: MapNode | undefined,
  key: string,
  written: WrittenDescription,
  document = written.main,
): MapInFile | undefined {
  const part = map && partOf({ node: map, document }, key, written);
  const found = part && written.documents.resolve(part);
  return found?.node.kind === 'map' ? { map: found.node, document: found.document } : undefined;
}

function partOf(
  spot: { readonly node: MapNode; readonly document: NodeInFile['document'] },
  key: string,
  { documents }: WrittenDescription,
): NodeInFile | undefined {
  const own = entryOf(spot.node, key)?.value;
  if (own !== undefined) return { ...spot, node: own };
  if (referenceIn(spot.node) === undefined) return undefined;
  const part = namedParts(spot, documents).find((one) => one.key.text.value === key);
  return part && { node: part.value, document: part.document };
}

function mapBehind(spot: NodeInFile, { documents }: WrittenDescription): MapNode | undefined {
  const found = documents.resolve(spot)?.node;
  return found?.kind === 'map' ? found : undefined;
}
