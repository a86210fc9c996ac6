/** The fields of an API description that can contain other parts. A `$ref` is a reference only in these fields; elsewhere it is data. */

/** A kind of object in the OpenAPI specification. */
export type Part =
  | ('callback' | 'encoding' | 'example' | 'header' | 'link' | 'media-type' | 'operation' | 'parameter')
  | ('path-item' | 'request-body' | 'response' | 'schema' | 'security-scheme');

/** A part, or a list or map of parts. */
export type Content = Part | { readonly each: Part };

type Contents = Readonly<Record<string, Content>>;

/** The methods of a path item. */
export const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
const lists = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const maps = ['properties', 'patternProperties', 'dependentSchemas', '$defs'];
const single = [
  ...['items', 'not', 'additionalProperties', 'if', 'then', 'else', 'contains', 'propertyNames'],
  ...['unevaluatedItems', 'unevaluatedProperties'],
];

function all(keys: readonly string[], content: Content): Contents {
  return Object.fromEntries(keys.map((key) => [key, content]));
}

const value: Contents = {
  schema: 'schema',
  content: { each: 'media-type' },
  examples: { each: 'example' },
};

/** The parts inside a part, by key. */
export const inside: Readonly<Record<Part, Contents>> = {
  callback: {},
  encoding: { headers: { each: 'header' } },
  example: {},
  header: value,
  link: {},
  'media-type': { schema: 'schema', examples: { each: 'example' }, encoding: { each: 'encoding' } },
  operation: {
    parameters: { each: 'parameter' },
    requestBody: 'request-body',
    responses: { each: 'response' },
    callbacks: { each: 'callback' },
  },
  parameter: value,
  'path-item': { ...all(methods, 'operation'), parameters: { each: 'parameter' } },
  'request-body': { content: { each: 'media-type' } },
  response: { headers: { each: 'header' }, content: { each: 'media-type' }, links: { each: 'link' } },
  schema: { ...all(single, 'schema'), ...all([...lists, ...maps], { each: 'schema' }) },
  'security-scheme': {},
};

/** The maps under `components`. */
export const sections: Readonly<Record<string, Part>> = {
  schemas: 'schema',
  responses: 'response',
  parameters: 'parameter',
  examples: 'example',
  requestBodies: 'request-body',
  headers: 'header',
  securitySchemes: 'security-scheme',
  links: 'link',
  callbacks: 'callback',
  pathItems: 'path-item',
};
