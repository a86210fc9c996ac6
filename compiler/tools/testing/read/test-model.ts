/** The tests of a configuration, as read: every field, in the words of the test file; expected values stay the nodes that they are. */
import type { MapNode, Node } from '../../../read/config/yaml/node.js';
import type { ScalarText, WithSpan, Source, Span } from '../../../read/source.js';
import type { StubFault } from '../../local/stub-server.js';

export interface TestFile {
  readonly source: Source;
  /** Variables of the service's environment, for all tests of the file. */
  readonly environment: Readonly<Record<string, string>>;
  readonly tests: readonly ConfigTest[];
}

export interface ConfigTest {
  readonly name: WithSpan<string>;
  /** False for empty tables instead of the rows of seed.sql. */
  readonly seed: boolean;
  /** The values that UUID() returns first, in this order; after them random ones. */
  readonly uuids: readonly string[];
  /** Rows that are inserted before. */
  readonly rows: readonly TableRows[];
  /** At least one; a test without `steps` is one. */
  readonly steps: readonly TestStep[];
}

/** Rows of a table, or of a query where they are expected. */
export interface TableRows {
  readonly datasource: string;
  readonly table: WithSpan<string>;
  /** A SELECT instead of the name of a table. */
  readonly isQuery: boolean;
  readonly rows: readonly MapNode[];
  /** The whole list. */
  readonly node: Node;
}

export interface TestStep {
  /** Undefined for the only step of a test. */
  readonly name: string | undefined;
  /** The value of NOW(), in UTC; undefined for the real time. */
  readonly now: string | undefined;
  readonly action: TestAction;
  readonly stubs: readonly Stub[];
  readonly response: ExpectedResponse | undefined;
  readonly rowsAfter: readonly TableRows[];
  /** Values that later steps can read: their names, and their paths in the response. */
  readonly keep: readonly { readonly name: string; readonly path: WithSpan<string> }[];
  /** Where the step begins. */
  readonly node: MapNode;
}

export type TestAction = RequestAction | OperationAction;

export interface RequestAction {
  readonly kind: 'request';
  readonly request: RequestLine;
  readonly query: MapNode | undefined;
  readonly header: MapNode | undefined;
  readonly body: Node | undefined;
  readonly bodyText: string | undefined;
  /** Fields of an application/x-www-form-urlencoded body. */
  readonly form: MapNode | undefined;
  readonly multipart: readonly Part[];
  /** The name of an authentication whose credentials the request carries. */
  readonly authentication: string | undefined;
  /** Claims of its token. */
  readonly claims: MapNode | undefined;
  /** The name of its API key, or the key itself where an operation finds its caller. */
  readonly key: string | undefined;
}

export interface RequestLine {
  readonly method: string;
  /** As written, with a query where it has one. */
  readonly target: string;
  readonly span: WithSpan<string>['span'];
}

/** A part of a multipart body: a text, or a file when it has a file name. */
export interface Part {
  readonly name: string;
  readonly text: string;
  /** The content of the file; a path relative to the test file. */
  readonly file: string | undefined;
  readonly filename: string | undefined;
  readonly contentType: string | undefined;
}

/** An operation that is called with parameters, or by its trigger. */
export interface OperationAction {
  readonly kind: 'operation';
  readonly operation: string;
  readonly parameters: MapNode | undefined;
  readonly body: Node | undefined;
}

export interface ExpectedResponse {
  readonly statuscode: { readonly value: number; readonly node: Node } | undefined;
  readonly header: MapNode | undefined;
  /** Exactly this. */
  readonly body: Node | undefined;
  /** At least this. */
  readonly bodyIncludes: Node | undefined;
}

/** A request that a third party expects, and its response. */
export interface Stub {
  readonly datasource: string;
  readonly request: RequestLine;
  readonly query: MapNode | undefined;
  readonly header: MapNode | undefined;
  readonly body: Node | undefined;
  readonly bodyIncludes: Node | undefined;
  /** All fields of an application/x-www-form-urlencoded body. */
  readonly form: MapNode | undefined;
  /** The secret of its signature, by any of the schemes. */
  readonly signedWith: ScalarText | undefined;
  readonly times: number;
  readonly status: number;
  /** Where the status is written; undefined for the default. */
  readonly statusSpan: Span | undefined;
  readonly responseHeader: MapNode | undefined;
  readonly responseBody: Node | undefined;
  readonly fault: StubFault | undefined;
  readonly delay: number;
}

/** The span of diagnostics about a whole step. */
export function spanOf({ action, node }: TestStep): Span {
  return action.kind === 'request' ? action.request.span : (node.entries[0]?.key.span ?? node.span);
}
