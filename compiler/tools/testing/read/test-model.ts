/** The parsed tests of a configuration, with names as in the test file. Expected values are kept as nodes. */
import type { MapNode, Node } from '../../../read/config/yaml/node.js';
import type { ScalarText, WithSpan, Source, Span } from '../../../read/source.js';
import type { StubFault } from '../../local/stub-server.js';

export interface TestFile {
  readonly source: Source;
  /** Environment variables of the service, for all tests of the file. */
  readonly environment: Readonly<Record<string, string>>;
  readonly tests: readonly ConfigTest[];
}

export interface ConfigTest {
  readonly name: WithSpan<string>;
  /** False for empty tables instead of the rows of seed.sql. */
  readonly seed: boolean;
  /** The first values that UUID() returns, in order; random values follow. */
  readonly uuids: readonly string[];
  /** The first values that RANDOM returns, in order, whatever its arguments; random values follow. */
  readonly randoms: readonly string[];
  /** Rows inserted before the test. */
  readonly rows: readonly TableRows[];
  /** At least one step; a test without `steps` has a single step. */
  readonly steps: readonly TestStep[];
}

/** Rows of a table, or expected rows of a query. */
export interface TableRows {
  readonly datasource: string;
  readonly table: WithSpan<string>;
  /** Whether `table` is a SELECT instead of a table name. */
  readonly isQuery: boolean;
  readonly rows: readonly MapNode[];
  /** The node of the whole list. */
  readonly node: Node;
}

export interface TestStep {
  /** Undefined for the only step of a test. */
  readonly name: string | undefined;
  /** The value of NOW(), in UTC; undefined for the real time. */
  readonly now: string | undefined;
  readonly action: TestAction;
  readonly stubs: readonly Stub[];
  readonly mails: readonly ExpectedMail[];
  readonly response: ExpectedResponse | undefined;
  readonly rowsAfter: readonly TableRows[];
  /** Values that later steps can read: their names, and their paths in the response. */
  readonly keep: readonly { readonly name: string; readonly path: WithSpan<string> }[];
  /** The node of the step. */
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
  /** Name of the authentication whose credentials the request carries. */
  readonly authentication: string | undefined;
  /** Claims of the token. */
  readonly claims: MapNode | undefined;
  /** Name of the API key, or the key itself if an operation looks up its caller. */
  readonly key: string | undefined;
  /** The account if an operation looks it up. */
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** The tool that the request calls. */
  readonly tool: CalledTool | undefined;
}

/** A tool with its arguments. */
export interface CalledTool {
  readonly name: string;
  readonly arguments: MapNode | undefined;
}

export interface RequestLine {
  readonly method: string;
  /** The target as written, including a query. */
  readonly target: string;
  readonly span: WithSpan<string>['span'];
}

/** A part of a multipart body: a string, or a file if it has a file name. */
export interface Part {
  readonly name: string;
  readonly text: string;
  /** File with the content, as a path relative to the test file. */
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
  /** The complete expected body. */
  readonly body: Node | undefined;
  /** Values that the expected body must at least contain. */
  readonly bodyIncludes: Node | undefined;
  /** False if the body may contradict the API description. */
  readonly isDescribed: boolean;
}

/** A request expected by a third party, and its response. */
export interface Stub {
  readonly datasource: string;
  readonly request: RequestLine;
  readonly query: MapNode | undefined;
  readonly header: MapNode | undefined;
  readonly body: Node | undefined;
  readonly bodyIncludes: Node | undefined;
  /** All fields of an application/x-www-form-urlencoded body. */
  readonly form: MapNode | undefined;
  /** The secret of the request's signature, in any of the schemes. */
  readonly signedWith: ScalarText | undefined;
  readonly times: number;
  readonly status: number;
  /** Position of the status; undefined if it is the default. */
  readonly statusSpan: Span | undefined;
  readonly responseHeader: MapNode | undefined;
  readonly responseBody: Node | undefined;
  readonly fault: StubFault | undefined;
  readonly delay: number;
}

/** A mail that is sent; parts without a node are not compared. */
export interface ExpectedMail {
  readonly datasource: string;
  readonly to: Node | undefined;
  readonly cc: Node | undefined;
  readonly replyTo: Node | undefined;
  readonly subject: Node | undefined;
  readonly text: Node | undefined;
  readonly html: Node | undefined;
  /** The status of the mail server. */
  readonly status: number;
  /** Parts of the text that later steps can read: their names, and regular expressions with one group. */
  readonly keep: readonly { readonly name: string; readonly pattern: WithSpan<string> }[];
  readonly span: Span;
}

/** The span of diagnostics about a whole step. */
export function spanOf({ action, node }: TestStep): Span {
  return action.kind === 'request' ? action.request.span : (node.entries[0]?.key.span ?? node.span);
}
