/** A tool: the description for MCP clients, and the arguments of its operation. */
import type { Json, JsonObject } from '../handler/json.js';

/** An operation that MCP clients can call. */
export interface Tool {
  /** The name of the operation. */
  readonly operation: string;
  readonly name: string;
  readonly description: string;
  readonly annotations: Readonly<Record<string, boolean>>;
  /** The arguments, each once for each place of the request that it sets. */
  readonly arguments?: readonly ToolArgument[];
  /** A JSON schema whose properties are the arguments. */
  readonly inputSchema: JsonSchema;
  /** A JSON schema of `structuredContent`. */
  readonly outputSchema?: JsonSchema;
}

/** An argument, and its place in a request. Path parameters are in the order of the path. */
export interface ToolArgument {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie' | 'body';
  /** The name of the parameter, if it differs. */
  readonly parameter?: string;
  /** How a list is written: the separator of its elements, or as JSON. Without it, the parameter is repeated. */
  readonly list?: ',' | ' ' | '|' | 'json';
}

/** A JSON schema of an object. */
export interface JsonSchema {
  readonly type: 'object';
  readonly [keyword: string]: unknown;
}

/** The result of a call. */
export interface ToolResult extends JsonObject {
  content: Json[];
}
