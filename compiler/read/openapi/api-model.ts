/** The compiler's model of an API description (OpenAPI 3.0 and 3.1): operations, parameters, bodies, models. */
import type { HttpMethod } from '../config/config-model.js';
import type { MapNode } from '../config/yaml/node.js';
import type { Span, Source } from '../source.js';
import type { Documents } from './documents.js';
import type { Document } from './node-in-file.js';

export interface ApiDescription {
  /** The description as written. */
  readonly written: WrittenDescription;
  /** The API version from `info`. */
  readonly version: string | undefined;
  /** The main file, which can refer to other files. */
  readonly source: Source;
  /** Endpoints in file order. */
  readonly endpoints: readonly ApiEndpoint[];
  /** Unreadable paths, which have been reported. */
  readonly unreadPaths: readonly string[];
  /** The schemas under `components`, and schemas of other files that are referenced by name. */
  readonly models: ReadonlyMap<string, ApiSchema>;
  /** Whether a part is invalid YAML, which has been reported. */
  readonly isIncomplete: boolean;
  /** The API keys under `securitySchemes`: parameters of every endpoint that only carry credentials. */
  readonly credentials?: readonly Credential[];
}

/** The location of an API key in requests. */
export interface Credential {
  readonly name: string;
  readonly in: 'query' | 'header' | 'cookie';
}

/** The files of an API description, and the root map of the main file. */
export interface WrittenDescription {
  readonly documents: Documents;
  readonly main: Document;
  readonly root: MapNode;
}

/** A method of a path. */
export interface ApiEndpoint {
  readonly method: HttpMethod;
  /** The path as written: `/news/{id}`. */
  readonly path: string;
  readonly span: Span;
  readonly summary: string | undefined;
  readonly operationId?: string | undefined;
  /** The parameters of the operation, including those of its path. */
  readonly parameters: readonly ApiParameter[];
  readonly body: ApiBody | undefined;
  /** Responses by status code, `2XX` or `default`. */
  readonly responses: ReadonlyMap<string, ApiResponse>;
}

export interface ApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly required: boolean;
  readonly description?: string | undefined;
  /** The serialization of arrays: `form` (`a=1&a=2` if exploded, otherwise `a=1,2`), `simple` (`1,2`), …; `json` if the value is JSON. */
  readonly style: string;
  readonly explode: boolean;
  readonly schema: ApiSchema | undefined;
  readonly span: Span;
}

export interface ApiBody {
  readonly required: boolean;
  /** The schema of the JSON content; undefined if there is none. */
  readonly json: ApiSchema | undefined;
  /** True if the same schema applies to all contents, including JSON. */
  readonly isAny?: boolean;
  /** The form content; undefined if there is none. */
  readonly form: ApiForm | undefined;
  /** All content types as written, with their schemas. */
  readonly contents: ReadonlyMap<string, ApiSchema | undefined>;
  readonly span: Span;
}

/** Encodings of forms: multipart/form-data and application/x-www-form-urlencoded. */
export type FormType = 'multipart' | 'urlencoded';

export interface ApiForm {
  /** The encodings of the form, at least one. */
  readonly types: readonly FormType[];
  /** The schema of the fields; if both types are described, that of multipart/form-data. */
  readonly schema: ApiSchema;
}

export interface ApiResponse {
  /** The content types as written. */
  readonly contentTypes: readonly string[];
  /** The schema of the JSON content; undefined if there is no body. */
  readonly json: ApiSchema | undefined;
  /** Header schemas by lower-case name; only read for third parties. */
  readonly headers?: ReadonlyMap<string, ApiSchema>;
}

/** A JSON schema with resolved references. Recursive models make it a cyclic graph, so traverse it with care. */
export interface ApiSchema {
  /** The model's name, if the schema is or refers to one of the description's models. */
  readonly model: string | undefined;
  readonly span: Span;
  /** `string`, `object`, …; includes `null` if the value can be null (also for `nullable` of 3.0). Undefined if any type is allowed. */
  readonly types: readonly ApiType[] | undefined;
  readonly properties: ReadonlyMap<string, ApiSchema>;
  readonly required: readonly string[];
  /** The span of `required`. */
  readonly requiredSpan?: Span | undefined;
  /** False if other properties are forbidden; undefined if they are allowed. */
  readonly additionalProperties: ApiSchema | false | undefined;
  /** Set for `additionalProperties: true`: other properties are expected. */
  readonly isOpen?: true;
  readonly items: ApiSchema | undefined;
  readonly allOf: readonly ApiSchema[];
  readonly anyOf: readonly ApiSchema[];
  readonly oneOf: readonly ApiSchema[];
  /** Selects the intended alternative; undefined if there is no discriminator. */
  readonly discriminator?: Discriminator | undefined;
  readonly not: ApiSchema | undefined;
  /** The values of `enum`, or of `const` as a single value. */
  readonly enum: readonly unknown[] | undefined;
  /** `int64`, `date-time`, `uuid`, … */
  readonly format: string | undefined;
  /** Set for a string with `contentMediaType: text/html`. */
  readonly isHtml?: true;
  /**
   * Keywords that restrict a value (`minLength`, `maximum`, `pattern`, `uniqueItems` …) as written; a number that a double cannot represent
   * is a string.
   */
  readonly bounds: ReadonlyMap<string, number | string | boolean>;
  readonly default: unknown;
  readonly description: string | undefined;
  /** Set for `nullable` of 3.0: null is valid regardless of other keywords. */
  readonly nullable?: true;
  /** Set for a property that only occurs in responses: in requests it is optional even if required. */
  readonly readOnly?: true;
  /** Set for a property that only occurs in requests, such as a password. */
  readonly writeOnly?: true;
  /** The schemas of the first array elements, by position; `items` applies to the remaining elements. */
  readonly prefixItems?: readonly ApiSchema[];
  /** Schemas of properties by name pattern. */
  readonly patternProperties?: ReadonlyMap<string, ApiSchema>;
}

/** The property whose value selects an alternative. */
export interface Discriminator {
  readonly property: string;
  /** The alternatives by property value. */
  readonly alternatives: ReadonlyMap<string, ApiSchema>;
  /** The keyword that lists the alternatives. */
  readonly keyword: 'anyOf' | 'oneOf';
  /** Whether null is one of the alternatives. */
  readonly allowsNull: boolean;
}

export type ApiType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'null';
