/** The API description (OpenAPI 3.0 and 3.1) as the compiler uses it: operations, parameters, bodies, models. */
import type { HttpMethod } from '../config/config-model.js';
import type { MapNode } from '../config/yaml/node.js';
import type { Span, Source } from '../source.js';
import type { Documents } from './documents.js';
import type { Document } from './node-in-file.js';

export interface ApiDescription {
  /** As it is written. */
  readonly written: WrittenDescription;
  /** The version of the API, as it is written under `info`. */
  readonly version: string | undefined;
  /** The file that was named or found; it may refer to other files. */
  readonly source: Source;
  /** In the order of the file. */
  readonly endpoints: readonly ApiEndpoint[];
  /** Paths that could not be read, which has been reported. */
  readonly unreadPaths: readonly string[];
  /** The schemas under `components`, and schemas of other files that are referenced by name. */
  readonly models: ReadonlyMap<string, ApiSchema>;
  /** Whether YAML could not read a part of it, which is reported. */
  readonly isIncomplete: boolean;
  /** The API keys under `securitySchemes`: parameters that only carry credentials, of every endpoint. */
  readonly credentials?: readonly Credential[];
}

/** Where an API key is sent. */
export interface Credential {
  readonly name: string;
  readonly in: 'query' | 'header' | 'cookie';
}

/** The files of an API description, and the map that the main one holds. */
export interface WrittenDescription {
  readonly documents: Documents;
  readonly main: Document;
  readonly root: MapNode;
}

/** One method of one path. */
export interface ApiEndpoint {
  readonly method: HttpMethod;
  /** As it is written: `/news/{id}`. */
  readonly path: string;
  readonly span: Span;
  readonly summary: string | undefined;
  /** The parameters of the operation and of its path. */
  readonly parameters: readonly ApiParameter[];
  readonly body: ApiBody | undefined;
  /** By status code, `2XX` or `default`. */
  readonly responses: ReadonlyMap<string, ApiResponse>;
}

export interface ApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly required: boolean;
  /** How an array is written: `form` (`a=1&a=2` when exploded, else `a=1,2`), `simple` (`1,2`), …; `json` where the value is JSON. */
  readonly style: string;
  readonly explode: boolean;
  readonly schema: ApiSchema | undefined;
  readonly span: Span;
}

export interface ApiBody {
  readonly required: boolean;
  /** The schema of its JSON content; undefined without one. */
  readonly json: ApiSchema | undefined;
  /** Whether that is the schema of all contents, of which JSON is one. */
  readonly isAny?: boolean;
  /** Its form; undefined without one. */
  readonly form: ApiForm | undefined;
  readonly span: Span;
}

/** How a form is sent: multipart/form-data, or application/x-www-form-urlencoded. */
export type FormType = 'multipart' | 'urlencoded';

export interface ApiForm {
  /** At least one. */
  readonly types: readonly FormType[];
  /** The schema of the fields; that of multipart/form-data, if both types are described. */
  readonly schema: ApiSchema;
}

export interface ApiResponse {
  /** The content types, as they are written. */
  readonly contentTypes: readonly string[];
  /** The schema of its JSON content; undefined without a body. */
  readonly json: ApiSchema | undefined;
  /** The schemas of its headers, by their names in lower case; read of third parties alone. */
  readonly headers?: ReadonlyMap<string, ApiSchema>;
}

/** A JSON schema with its references resolved; cyclic models make it a graph, so go through it with care. */
export interface ApiSchema {
  /** The model's name, if the schema is one of the description's models or refers to one. */
  readonly model: string | undefined;
  readonly span: Span;
  /** `string`, `object`, …; null among them where the value may be null (`nullable` of 3.0 too). Undefined for any type. */
  readonly types: readonly ApiType[] | undefined;
  readonly properties: ReadonlyMap<string, ApiSchema>;
  readonly required: readonly string[];
  /** Where `required` is written. */
  readonly requiredSpan?: Span | undefined;
  /** False forbids other properties; undefined allows any. */
  readonly additionalProperties: ApiSchema | false | undefined;
  /** `additionalProperties: true`: others are expected. */
  readonly isOpen?: true;
  readonly items: ApiSchema | undefined;
  readonly allOf: readonly ApiSchema[];
  readonly anyOf: readonly ApiSchema[];
  readonly oneOf: readonly ApiSchema[];
  /** The selector of the intended alternative; undefined without one. */
  readonly discriminator?: Discriminator | undefined;
  readonly not: ApiSchema | undefined;
  /** `enum`, or `const` as an enum of one. */
  readonly enum: readonly unknown[] | undefined;
  /** `int64`, `date-time`, `uuid`, … */
  readonly format: string | undefined;
  /**
   * The keywords that bound a value (`minLength`, `maximum`, `pattern`, `uniqueItems` …) as they are written; a number that a
   * double cannot carry is its text.
   */
  readonly bounds: ReadonlyMap<string, number | string | boolean>;
  readonly default: unknown;
  readonly description: string | undefined;
  /** `nullable` of 3.0: null is valid, whatever else is declared. */
  readonly nullable?: true;
  /** A property that only responses have: it is optional in a request, even if it is required. */
  readonly readOnly?: true;
  /** A property that only requests have, such as a password. */
  readonly writeOnly?: true;
  /** The schemas of the first elements of an array, one for each; `items` is that of the others. */
  readonly prefixItems?: readonly ApiSchema[];
  /** Properties by a pattern of their names. */
  readonly patternProperties?: ReadonlyMap<string, ApiSchema>;
}

/** The property whose value chooses one of the alternatives. */
export interface Discriminator {
  readonly property: string;
  /** By the value of the property. */
  readonly alternatives: ReadonlyMap<string, ApiSchema>;
  /** Where the alternatives are. */
  readonly keyword: 'anyOf' | 'oneOf';
  /** Whether one of them is null. */
  readonly allowsNull: boolean;
}

export type ApiType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'null';
