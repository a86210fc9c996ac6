/** Reads paths, parameters, bodies and responses of an API description. */
import { entryOf, isEmpty, type Entry, type MapNode, type Node } from '../config/yaml/node.js';
import type { HttpMethod } from '../config/config-model.js';
import type { Report } from '../diagnostics/report.js';
import { nearest } from '../diagnostics/suggest.js';
import type { Documents } from './documents.js';
import { refusesEmptyString } from './empty-string.js';
import type { ScalarText, Span } from '../source.js';
import { listBehind, namedParts, reportMisplaced, type NamedPart } from './named-parts.js';
import type { NodeInFile } from './node-in-file.js';
import { referenceIn } from './pointer.js';
import { formFields } from './form.js';
import type {
  ApiBody,
  ApiEndpoint,
  ApiForm,
  ApiParameter,
  ApiResponse,
  ApiSchema,
  FormType,
} from './api-model.js';
import { isKind, parameterFormat } from './parameter-style.js';
import type { SchemaReader } from './read-api-schema.js';

const methods: readonly HttpMethod[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];
const locations: readonly ApiParameter['in'][] = ['path', 'query', 'header', 'cookie'];

/** The keys of a path item; operations cannot serve `trace`. */
const fieldsOfPath = [
  ...['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'],
  ...['$ref', 'summary', 'description', 'servers', 'parameters'],
];

/** A map, possibly found through a reference, and its file. */
type MapSpot = NodeInFile & { readonly node: MapNode };

export class EndpointReader {
  readonly endpoints: ApiEndpoint[] = [];
  /** Unreadable paths, which have been reported. */
  readonly unreadPaths: string[] = [];

  constructor(
    private readonly documents: Documents,
    private readonly schemas: SchemaReader,
    private readonly report: Report,
    private readonly readsHeaders = false,
  ) {}

  /** Reads an entry of `paths` with all its methods. */
  readPath({ key, value }: Entry, spot: NodeInFile): void {
    const path = key.text.value;
    if (!path.startsWith('/') && !path.startsWith('x-')) {
      this.#unknownField(key.text, "'paths' of the API description", [`/${path}`]);
      this.unreadPaths.push(`/${path}`);
      return;
    }
    const item = path.startsWith('x-') ? undefined : this.#map({ ...spot, node: value }, 'A path');
    if (item === undefined) {
      this.unreadPaths.push(path);
      return;
    }
    const common = this.#parameters(item);
    for (const entry of item.node.entries) {
      const method = methods.find((candidate) => candidate === entry.key.text.value.toUpperCase());
      if (method === undefined) {
        const { text } = entry.key;
        const isOther = text.value.startsWith('x-') || nearest(text.value, fieldsOfPath) === undefined;
        if (fieldsOfPath.includes(text.value) || isOther) continue;
        this.#unknownField(text, `Path '${path}' of the API description`, fieldsOfPath);
        this.unreadPaths.push(path);
        continue;
      }
      const operation = this.#map({ ...item, node: entry.value }, `'${entry.key.text.value}' of a path`);
      if (operation === undefined) continue;
      const own = this.#parameters(operation);
      const inherited = common.filter((one) => !own.some((other) => isSame(other, one)));
      const body = fieldOf(operation, 'requestBody');
      this.endpoints.push({
        method,
        path,
        span: entry.key.span,
        summary: text(operation, 'summary'),
        operationId: text(operation, 'operationId'),
        parameters: [...inherited, ...own],
        body: body && this.readBody({ ...operation, node: body }),
        responses: this.#responses(operation),
      });
    }
  }

  readParameter(spot: NodeInFile): ApiParameter | undefined {
    const found = this.#map(spot, 'A parameter');
    if (found === undefined) return undefined;
    const [name, span] = [text(found, 'name'), text(found, 'in')];
    const location = locations.find((candidate) => candidate === span);
    if (name === undefined || location === undefined) {
      const written = fieldOf(found, 'in');
      const isOdd = name !== undefined && span !== undefined && written !== undefined;
      const head = found.node.entries[0]?.key.span ?? found.node.span;
      this.report.add('parameter-unnamed', isOdd ? written.span : head, {
        missing: name === undefined ? 'name' : 'in',
        location: isOdd ? span : undefined,
      });
      return undefined;
    }
    const style = text(found, 'style') ?? (location === 'query' || location === 'cookie' ? 'form' : 'simple');
    const explode = text(found, 'explode')?.toLowerCase();
    const schema = fieldOf(found, 'schema');
    const json = this.#content(found).find(({ type }) => isJson(type))?.schema;
    const parameter: ApiParameter = {
      name,
      in: location,
      required: location === 'path' || text(found, 'required')?.toLowerCase() === 'true',
      description: text(found, 'description'),
      style: schema === undefined && json !== undefined ? 'json' : style,
      explode: explode === undefined ? style === 'form' : explode === 'true',
      schema: schema === undefined ? json : this.schemas.read({ ...found, node: schema }),
      span: found.node.entries[0]?.key.span ?? found.node.span,
    };
    if (location !== 'cookie' && parameterFormat(parameter) === undefined)
      this.report.add('parameter-style', fieldOf(found, 'style')?.span ?? parameter.span, {
        ...{ name, style: parameter.style, in: location },
        isObject:
          schema !== undefined && !isKind(parameter.schema, 'array') && isKind(parameter.schema, 'object'),
      });
    if (parameter.schema !== undefined) this.schemas.checkDefault(parameter.schema);
    this.#checkEmptyValue(found, parameter);
    return parameter;
  }

  /** Reports `allowEmptyValue` where it has no effect: it does not change the schema, so `?open` is invalid for a boolean. */
  #checkEmptyValue(found: MapSpot, { in: place, schema }: ApiParameter): void {
    const written = fieldOf(found, 'allowEmptyValue');
    if (place !== 'query' || written?.kind !== 'scalar' || written.value !== true) return;
    if (schema === undefined || isKind(schema, 'array') || isKind(schema, 'object')) return;
    if (refusesEmptyString(schema))
      this.report.add('schema-keyword', written.span, {
        keyword: 'allowEmptyValue',
        problem: 'an empty string is not a value of its schema',
      });
  }

  readBody(spot: NodeInFile): ApiBody | undefined {
    const found = this.#map(spot, "'requestBody'");
    if (found === undefined) return undefined;
    const content = this.#content(found);
    const form = formIn(content);
    for (const { schema } of form === undefined ? [] : formFields(form)) this.schemas.checkDefault(schema);
    const json = content.find(({ type }) => isJson(type));
    return {
      required: text(found, 'required')?.toLowerCase() === 'true',
      json: json?.schema,
      ...(json?.type.startsWith('*') === true && { isAny: true }),
      form,
      contents: new Map(content.map(({ type, schema }) => [type, schema])),
      span: found.node.entries[0]?.key.span ?? found.node.span,
    };
  }

  readResponse(spot: NodeInFile): ApiResponse | undefined {
    const found = this.#map(spot, 'A response');
    if (found === undefined) return undefined;
    const content = this.#content(found);
    return {
      contentTypes: content.map(({ type }) => type),
      json: content.find(({ type }) => isJson(type))?.schema,
      ...(this.readsHeaders && { headers: this.#headers(found) }),
    };
  }

  #headers(response: MapSpot): ReadonlyMap<string, ApiSchema> {
    const value = fieldOf(response, 'headers');
    const headers = value && this.#named({ ...response, node: value }, "'headers'");
    return new Map(
      headers?.flatMap(({ key, value: node, document }): [string, ApiSchema][] => {
        const header = this.#map({ node, document }, 'A header');
        const schema = header && fieldOf(header, 'schema');
        const read = schema && this.schemas.read({ ...header, node: schema });
        return read === undefined ? [] : [[key.text.value.toLowerCase(), read]];
      }),
    );
  }

  #parameters(owner: MapSpot): ApiParameter[] {
    const written = fieldOf(owner, 'parameters');
    const list = written && this.#list({ ...owner, node: written }, "'parameters'");
    const parameters: ApiParameter[] = [];
    const spans: Span[] = [];
    for (const node of list?.node.items ?? []) {
      const parameter = this.readParameter({ ...owner, ...list, node });
      if (parameter === undefined) continue;
      const index = parameters.findIndex((other) => isSame(other, parameter));
      if (index === -1) {
        parameters.push(parameter);
        spans.push(nameSpanOf(node));
      } else
        this.report.add('duplicate-parameter', nameSpanOf(node), {
          ...{ name: parameter.name, in: parameter.in },
          first: spans[index],
        });
    }
    return parameters;
  }

  #responses(operation: MapSpot): ReadonlyMap<string, ApiResponse> {
    const value = fieldOf(operation, 'responses');
    const found = value && this.#named({ ...operation, node: value }, "'responses'");
    const responses = new Map<string, ApiResponse>();
    for (const { key, value: node, document } of found ?? []) {
      const status = key.text.value;
      const response = status.startsWith('x-') ? undefined : this.readResponse({ node, document });
      if (response !== undefined)
        responses.set(status === 'default' ? status : status.toUpperCase(), response);
    }
    return responses;
  }

  /** The schemas of all content types, in file order. A content type without a schema accepts any value. */
  #content(owner: MapSpot): Content[] {
    const value = fieldOf(owner, 'content');
    const content = value && this.#named({ ...owner, node: value }, "'content'");
    if (content === undefined) return [];
    return content.map(({ key, value: node, document }) => {
      const media = this.#map({ node, document }, 'A content type');
      const schema = media && fieldOf(media, 'schema');
      return { type: key.text.value, schema: schema && this.schemas.read({ ...media, node: schema }) };
    });
  }

  /** The map after following references; undefined (reported) for anything else. */
  #map(spot: NodeInFile, what: string): MapSpot | undefined {
    const found = this.documents.resolve(spot);
    if (found === undefined || isEmpty(found.node)) return undefined;
    const { node, document } = found;
    if (node.kind === 'map') return { node, document };
    this.#wrongKind(node, what, 'a map (lines of the form `key: value`)');
    return undefined;
  }

  /** The parts of a map of names; undefined (reported) for anything else. */
  #named(spot: NodeInFile, what: string): readonly NamedPart[] | undefined {
    const { node, document } = spot;
    if (node.kind === 'map') {
      const example = (reference: string): string =>
        `${what.replaceAll("'", '')}: { name: { $ref: '${reference}' } }`;
      return namedParts({ node, document }, this.documents, reportMisplaced(this.report, what, example));
    }
    if (!isEmpty(node)) this.#wrongKind(node, what, 'a map (lines of the form `key: value`)');
    return undefined;
  }

  #list(spot: NodeInFile, what: string): ReturnType<typeof listBehind> {
    const list = listBehind(spot, this.documents);
    const reference = referenceIn(spot.node);
    const isBroken = reference !== undefined && this.documents.target(reference, spot.document) === undefined;
    if (list === undefined && !isBroken)
      this.#wrongKind(spot.node, what, 'a list (lines that begin with a dash)');
    if (list !== undefined && reference !== undefined)
      this.report.add('misplaced-reference', reference.span, { what, reference: reference.text.value });
    return list;
  }

  #unknownField({ value, span }: ScalarText, resource: string, known: readonly string[]): void {
    const meant = known.length === 1 ? known[0] : nearest(value, known);
    this.report.add('unknown-field', span, { resource, field: value, nearest: meant, owners: [], known });
  }

  #wrongKind(node: Node, what: string, expected: string): void {
    const example = examples[what] ?? '{ responses: { 200: { description: OK } } }';
    this.report.add('wrong-kind', node.span, { what: `${what} in the API description`, expected, example });
  }
}

/** Examples for the parts of a description; everything else is an operation. */
const examples: Readonly<Record<string, string>> = {
  'A path': '/news: { get: … }',
  'A parameter': '- { name: id, in: path, required: true }',
  "'parameters'": 'parameters: [{ name: id, in: path, required: true }]',
  "'requestBody'": 'requestBody: { content: { application/json: { schema: … } } }',
  "'responses'": 'responses: { 200: { description: OK } }',
  'A response': '200: { description: OK }',
  "'content'": 'content: { application/json: { schema: … } }',
  'A content type': 'application/json: { schema: … }',
};

/** A content type and its schema. */
interface Content {
  readonly type: string;
  readonly schema: ApiSchema | undefined;
}

const formTypes = {
  multipart: /^multipart\/form-data\b/i,
  urlencoded: /^application\/x-www-form-urlencoded\b/i,
} as const satisfies Readonly<Record<FormType, RegExp>>;

/** The form among the content types; undefined if no form has a schema. */
function formIn(content: readonly Content[]): ApiForm | undefined {
  const described = (['multipart', 'urlencoded'] as const).flatMap((form) => {
    const schema = content.find(({ type }) => formTypes[form].test(type))?.schema;
    return schema === undefined ? [] : [{ form, schema }];
  });
  const [first] = described;
  return first && { types: described.map(({ form }) => form), schema: first.schema };
}

function isSame(one: ApiParameter, other: ApiParameter): boolean {
  return one.name === other.name && one.in === other.in;
}

/** Matches `application/json`, `application/problem+json` and similar types, and wildcards. */
function isJson(type: string): boolean {
  return /^(?:application\/(?:json|[^\s;]+\+json)|text\/json|\*\/\*|application\/\*)\s*(?:;|$)/i.test(type);
}

function fieldOf({ node }: MapSpot, key: string): Node | undefined {
  const value = entryOf(node, key)?.value;
  return value === undefined || isEmpty(value) ? undefined : value;
}

function text(spot: MapSpot, key: string): string | undefined {
  const value = fieldOf(spot, key);
  return value?.kind === 'scalar' ? value.text.value : undefined;
}

/** The span of a parameter's name; for a reference, the span of the reference. */
function nameSpanOf(node: Node): Span {
  const name = node.kind === 'map' ? entryOf(node, 'name') : undefined;
  return name?.value.span ?? node.span;
}
