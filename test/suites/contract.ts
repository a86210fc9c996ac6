/** A validating API client: ajv compares each response with the description for its status. */
import { createRequire } from 'node:module';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { FormatsPlugin } from 'ajv-formats';
import { parse } from 'yaml';

// Ajv's modules are CommonJS, and their types do not match the imported values.
const require = createRequire(import.meta.url);
const { Ajv2020: Ajv } = require('ajv/dist/2020.js') as { Ajv2020: typeof Ajv2020 };
const addFormats = require('ajv-formats') as FormatsPlugin;

type Node = Readonly<Record<string, unknown>>;

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export class Contract {
  readonly #document: Node;
  readonly #ajv = new Ajv({ strict: false, logger: false, allErrors: true });
  /** Method and path template of each endpoint. */
  readonly endpoints: readonly { readonly method: string; readonly path: string }[];

  constructor(description: string) {
    this.#document = asJsonSchema(parse(description, { merge: true })) as Node;
    addFormats(this.#ajv);
    this.#ajv.addSchema(this.#document, 'document');
    this.endpoints = Object.entries(this.#document['paths'] as Node).flatMap(([path, item]) =>
      Object.keys(item as Node)
        .filter((key) => /^(?:get|put|post|delete|patch|head|options)$/.test(key))
        .map((method) => ({ method: method.toUpperCase(), path })),
    );
  }

  /** The endpoint for a path; a path without parameters takes precedence. */
  endpointOf(method: string, path: string): string | undefined {
    const found = this.endpoints
      .filter((endpoint) => endpoint.method === method && shapeOf(endpoint.path).test(path))
      .map((endpoint) => endpoint.path);
    return found.find((template) => !template.includes('{')) ?? found[0];
  }

  /** The statuses and status ranges described for an endpoint. */
  statusesOf(method: string, template: string): string[] {
    return Object.keys(this.#responsesOf(method, template).node as Node);
  }

  /** All differences between a response and the description. */
  violations(method: string, path: string, { status, headers, text }: ReceivedResponse): string[] {
    const template = this.endpointOf(method, path);
    if (template === undefined) return [`${method} ${path} is not described`];
    const responses = this.#responsesOf(method, template);
    const [key] = [String(status), `${String(status).charAt(0)}XX`, 'default'].filter(
      (one) => one in (responses.node as Node),
    );
    if (key === undefined) return [`${status} is not described: ${text}`];
    const content = this.#child(this.#child(responses, key), 'content');
    if (content.node === undefined) return text === '' ? [] : [`${status} has a body: ${text}`];
    const type = headers.get('content-type')?.split(';')[0] ?? 'none';
    const described = Object.keys(content.node as Node);
    if (described.length === 0) return [];
    if (!described.includes(type)) return [`${status} is ${type} instead of ${described.join(' or ')}`];
    return /[/+]json$/.test(type)
      ? this.#faults(this.#child(this.#child(content, type), 'schema'), text)
      : [];
  }

  #faults(schema: Pointer, text: string): string[] {
    if (schema.node === undefined) return [];
    const validate = this.#ajv.compile({ $ref: `document#${schema.pointer}` });
    if (validate(JSON.parse(text))) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message }) => `${instancePath} ${message ?? ''}: ${text}`,
    );
  }

  #responsesOf(method: string, template: string): Pointer {
    const paths = this.#child({ node: this.#document, pointer: '' }, 'paths');
    return this.#child(this.#child(this.#child(paths, template), method.toLowerCase()), 'responses');
  }

  /** A child node, with `$ref` resolved. */
  #child({ node, pointer }: Pointer, key: string): Pointer {
    const child = (node as Node | undefined)?.[key];
    const reference = (child as Node | undefined)?.['$ref'];
    if (typeof reference !== 'string')
      return {
        node: child,
        pointer: `${pointer}/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`,
      };
    const keys = reference.slice('#/'.length).split('/');
    return keys.reduce<Pointer>((at, one) => this.#child(at, one), { node: this.#document, pointer: '' });
  }
}

interface Pointer {
  readonly node: unknown;
  readonly pointer: string;
}

function shapeOf(template: string): RegExp {
  return new RegExp(`^${template.replaceAll(/\{[^}]*\}/g, '[^/]+')}$`);
}

/** Converts keywords with a special form in OpenAPI 3.0: `nullable`, and exclusive bounds as booleans. */
function asJsonSchema(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(asJsonSchema);
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).flatMap(([key, value]) => asKeyword(key, value, node as Node));
  const { nullable, ...schema } = Object.fromEntries(entries);
  if (nullable === true && ('type' in schema || '$ref' in schema))
    return { anyOf: [schema, { type: 'null' }] };
  return nullable === undefined ? schema : { ...schema, nullable };
}

const bounds: Readonly<Record<string, readonly [bound: string, exclusive: string]>> = {
  minimum: ['minimum', 'exclusiveMinimum'],
  maximum: ['maximum', 'exclusiveMaximum'],
  exclusiveMinimum: ['minimum', 'exclusiveMinimum'],
  exclusiveMaximum: ['maximum', 'exclusiveMaximum'],
};

/** An exclusive bound takes the name of the exclusive keyword. */
function asKeyword(key: string, value: unknown, schema: Node): [string, unknown][] {
  const [bound = '', exclusive = ''] = bounds[key] ?? [];
  if (typeof schema[exclusive] !== 'boolean') return [[key, asJsonSchema(value)]];
  if (key === exclusive) return [];
  return [[schema[exclusive] ? exclusive : bound, value]];
}
