/** The resources of a configuration. Fields have their names from the configuration; expressions are already parsed. */
import type { Expression, Path, Syntax, Template } from '../expression/ast.js';
import type { WithSpan, Span, ScalarText, Source } from '../source.js';
import type { FilterOperator, FilterType } from '../../../runtime/lists/filter-types.js';
import type { MapNode } from './yaml/node.js';
import type { Dialect } from '../sql/dialect.js';
import type { ReadSql, SqlStatement } from '../sql/statement.js';

export interface Config {
  readonly source: Source;
  /** The included files, sorted by name. */
  readonly included: readonly Source[];
  /** Operations in file order (like all lists here), followed by those of included files. */
  readonly operations: readonly Operation[];
  readonly datasources: readonly Datasource[];
  readonly authentications: readonly Authentication[];
  /** The user functions that expressions call. */
  readonly functions: readonly FunctionDeclaration[];
  /** The endpoint of MCP clients; undefined if the service has none. */
  readonly mcp: McpEndpoint | undefined;
  readonly settings: Settings;
}

/** `mcp`: the endpoint that offers operations as tools. */
export interface McpEndpoint {
  /** The path, without the base path of the service. */
  readonly path: WithSpan<string>;
  /** The public URL of the endpoint, as clients write it. */
  readonly url: ScalarText | undefined;
  readonly instructions: WithSpan<string> | undefined;
  /** The span of its key. */
  readonly span: Span;
}

/** `tool`: the operation is a tool of MCP clients. */
export interface ToolDeclaration {
  /** Undefined if it is missing, which has been reported. */
  readonly name: WithSpan<string> | undefined;
  /** Undefined to use the description of the API. */
  readonly description: WithSpan<string> | undefined;
  /** Whether its results may contain secrets. */
  readonly secret: boolean;
  /** The span of its key. */
  readonly span: Span;
}

/** A user function that expressions call with CODE. */
export interface FunctionDeclaration {
  /** The name of the function and of its file. */
  readonly name: WithSpan<string>;
  /** The type of each argument; undefined for an argument whose type was not readable. */
  readonly input: readonly (CodeType | undefined)[];
  /** Undefined if it was not readable. */
  readonly returns: CodeType | undefined;
}

export interface Operation {
  readonly name: WithSpan<string>;
  readonly syntax: Syntax;
  /** Set if the operation has an API trigger. */
  readonly endpoint: Endpoint | undefined;
  /** Checked before the first fulfillment; their conditions can read the request, the caller and constants. */
  readonly exceptions: readonly Exception[];
  readonly fulfillments: readonly Fulfillment[];
  readonly responses: readonly Response[];
  readonly triggers: readonly Trigger[];
  readonly mappings: readonly Mapping[];
  readonly transaction: boolean;
  /** The requests of its own fulfillments that are sent at the same time; undefined if they run one after the other. */
  readonly together: Together | undefined;
  /** The bodies of requests that the operation accepts; undefined for the usual types of JSON. */
  readonly accepts: AcceptedBody | undefined;
  /** How many requests the operation accepts in a time. */
  readonly limits: readonly RequestLimit[];
  /** The key under which requests can be repeated; undefined without `idempotency`. */
  readonly idempotency: Idempotency | undefined;
  /** The authentications that open this operation; undefined without a list. */
  readonly authentications: readonly AcceptedAuthentication[] | undefined;
  readonly tool: ToolDeclaration | undefined;
  /** The key spans of the operation's fields. */
  readonly fields: FieldSpans;
}

/** `request` and `contentTypes` of an operation. */
export interface AcceptedBody {
  readonly kind: 'json' | 'text';
  /** The media types; empty for the usual ones. */
  readonly types: readonly WithSpan<string>[];
}

/** `idempotency` of an operation. */
export interface Idempotency {
  /** Reads the key of a request; undefined if it was not readable. */
  readonly key: Expression | undefined;
  /** Whether requests without a key are refused. */
  readonly isRequired: boolean;
  /** Seconds. */
  readonly keep: number;
}

/** A limit on the number of requests in a time. */
export interface RequestLimit {
  readonly syntax: Syntax;
  /** The values that together are the key under which a request counts. */
  readonly by: readonly Expression[];
  readonly times: number;
  /** Seconds. */
  readonly within: number;
  /** False if only refused requests count. */
  readonly countsAll: boolean;
  /** The database that counts for all processes. */
  readonly store: WithSpan<string> | undefined;
  readonly span: Span;
}

/** `together`: `true` sends requests without effects at the same time, `effects` all. */
export type Together = 'true' | 'effects';

/** The spans of the fields of a resource, by name: for rules about fields that must or must not exist. */
export type FieldSpans = ReadonlyMap<string, Span>;

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';

export interface Endpoint {
  readonly method: HttpMethod;
  /** The path as written: `/news/{id}`. */
  readonly path: string;
  /** Names of the `{param}` segments, in order. */
  readonly parameters: readonly string[];
}

interface FulfillmentBase {
  readonly name: WithSpan<string>;
  readonly if: Expression | undefined;
  readonly exceptions: readonly Exception[];
  readonly loopbreak: readonly Expression[];
  readonly index: Expression | undefined;
  /** `onFailure: continue` of requests and references: the operation continues after a failure. */
  readonly continues: boolean;
  readonly fields: FieldSpans;
}

/** READ and UPDATE in either syntax: executes the first instruction whose `if` is true or missing. */
export interface DataFulfillment extends FulfillmentBase {
  readonly type: 'READ' | 'UPDATE';
  readonly datasource: WithSpan<string>;
  readonly instructions: readonly Instruction[];
  readonly join: readonly WithSpan<Expression>[];
  /** For a READ: the orders that a request can choose for its rows. */
  readonly order: ListOrder | undefined;
  /** For a READ with an order: pagination settings. */
  readonly page: ListPage | undefined;
  /** For a READ with an order: the conditions that a request can choose. */
  readonly filter: ListFilter | undefined;
}

/** `order` of a READ: the orders that a request can choose. */
export interface ListOrder {
  /** The name of the chosen order; if null or missing, the default order is used. */
  readonly by: Expression | undefined;
  /** The orders that can be requested, by name. */
  readonly allow: readonly { readonly name: WithSpan<string>; readonly columns: readonly OrderColumn[] }[];
  readonly default: WithSpan<string> | undefined;
  /** A unique combination of columns, appended to every order. */
  readonly key: readonly OrderColumn[];
  readonly fields: FieldSpans;
}

/** A column of an order: `created DESC NULLS LAST`. */
export interface OrderColumn {
  /** The column name without quotes. */
  readonly name: string;
  readonly isQuoted: boolean;
  readonly isDescending: boolean;
  /** The position of nulls, if specified. */
  readonly nulls: 'first' | 'last' | undefined;
  readonly span: Span;
}

/** `page` of a READ: pagination settings. */
export interface ListPage {
  readonly limit: Expression | undefined;
  readonly max: number;
  readonly after: Expression | undefined;
  /** The number of the page, from 1. */
  readonly number: Expression | undefined;
  /** The number of rows before the page. */
  readonly offset: Expression | undefined;
  /** The maximum number of rows before a page that a number or an offset names. */
  readonly maxOffset: number;
  /** The maximum number of rows that TOTAL counts. */
  readonly maxTotal: number;
  /** Whether an invalid number means the nearest valid number, instead of status 400. */
  readonly isClamped: boolean;
  readonly fields: FieldSpans;
}

/** `filter` of a READ with an order: the conditions that a request can choose. */
export interface ListFilter {
  /** An object with the conditions by name: QUERY(), or a part of the query or body. */
  readonly from: Expression | undefined;
  readonly allow: readonly FilterName[];
  readonly fields: FieldSpans;
}

/** A name by which requests filter. */
export interface FilterName {
  readonly name: WithSpan<string>;
  readonly column: OrderColumn;
  /** In the order of the language; `eq` unless others are written. */
  readonly operators: readonly FilterOperator[];
  readonly type: FilterType | undefined;
  /** Whether the parameter itself is the value of the only operator. */
  readonly isPlain: boolean;
  readonly separator: string | undefined;
  readonly fields: FieldSpans;
}

export interface LoopFulfillment extends FulfillmentBase {
  readonly type: 'LOOP';
  readonly loop: Expression | undefined;
  readonly fulfillments: readonly Fulfillment[];
  /** The number of concurrent iterations; 1 by default. */
  readonly concurrency: number;
  /** The requests of one iteration that are sent at the same time. */
  readonly together: Together | undefined;
}

export interface ReferenceFulfillment extends FulfillmentBase {
  readonly type: 'REFERENCE';
  readonly operationName: WithSpan<string>;
  readonly parameters: readonly { readonly name: WithSpan<string>; readonly value: Schema }[];
}

/** `type: reference` with `deliver: afterCommit`: the call is stored with the changes and made after the commit. */
export interface DeferredFulfillment extends FulfillmentBase {
  readonly type: 'DEFERRED';
  readonly operationName: WithSpan<string>;
  readonly parameters: ReferenceFulfillment['parameters'];
  /** The database that stores the call; by default the only possible one. */
  readonly outbox: WithSpan<string> | undefined;
  /** The maximum number of attempts. */
  readonly times: number | undefined;
  /** The maximum seconds between storing the call and its last attempt. */
  readonly within: number | undefined;
}

/** `type: CODE`: calls a function of user code. */
export interface CodeFulfillment extends FulfillmentBase {
  readonly type: 'CODE';
  /** The name of the function exported by `src/code/<name>.ts`. */
  readonly function: WithSpan<string>;
  readonly input: Schema | undefined;
  readonly join: readonly WithSpan<Expression>[];
  /** The result of the function; undefined if there is none, or after a reported error. */
  readonly returns: CodeType | undefined;
}

/** `type: COMPUTE`: evaluates a schema once, without a database. */
export interface ComputeFulfillment extends FulfillmentBase {
  readonly type: 'COMPUTE';
  /** Undefined after a reported error. */
  readonly schema: Schema | undefined;
}

/** A type of user code: a model of the API description, a list of models (`Price[]`), or a JSON schema. */
export type CodeType =
  | { readonly kind: 'model'; readonly name: string; readonly isList: boolean; readonly span: Span }
  | { readonly kind: 'schema'; readonly node: MapNode };

export type Fulfillment =
  | DataFulfillment
  | LoopFulfillment
  | ReferenceFulfillment
  | DeferredFulfillment
  | CodeFulfillment
  | ComputeFulfillment;

/** An instruction of Syntax A or a query of Syntax B. */
export interface Instruction {
  readonly if: Expression | undefined;
  /**
   * The action; undefined after a reported error: `query`, `sql`, `request` and `message` are all missing, or the action is invalid. SQL
   * becomes an action only after the SQL rules have checked it.
   */
  readonly action: SqlStatement | Request | Message | undefined;
  /** The parsed SQL, before the SQL rules. */
  readonly sql: ReadSql | undefined;
  /** Every readable expression in the SQL, even without a valid statement, so that all are checked. */
  readonly expressions: readonly Expression[];
  readonly span: Span;
}

/** `contentType` of the body of a request: `application/json`, or `application/x-www-form-urlencoded`. */
export type BodyType = 'json' | 'form';

/** `response`: the type of the result, regardless of its content type. */
export type ResponseForm = 'json' | 'text';

/** `Key: Value`, where the value can contain placeholders. */
export interface TemplateHeader {
  readonly name: WithSpan<string>;
  readonly value: Template;
  readonly valueSpan: Span;
}

export interface Request {
  readonly kind: 'request';
  readonly url: WithSpan<Template> | undefined;
  /** The method in upper case. */
  readonly httpType: WithSpan<string>;
  /** The `idempotencyKey` comes last. */
  readonly header: readonly TemplateHeader[];
  readonly body: Schema | undefined;
  /** The encoding of the body; undefined without a body or after an error. */
  readonly bodyType: BodyType | undefined;
  readonly multipart: readonly { readonly name: WithSpan<string>; readonly value: Expression }[];
  /** Overrides the datasource's `response`. */
  readonly response: ResponseForm | undefined;
  /** Overrides the datasource's `retry`. */
  readonly retry: Retry | undefined;
  readonly pages: Pages | undefined;
  /** Overrides the datasource's `signature`. */
  readonly signature: RequestSignature | undefined;
  /** `deliver: afterCommit`: the request is stored with the changes and sent after the commit. */
  readonly isDelivered: boolean;
  /** Requests with the same key are delivered in order. */
  readonly key: Expression | undefined;
  readonly fields: FieldSpans;
}

/** A mail. */
export interface Message {
  readonly kind: 'message';
  /** One expression, whose value may be a list of addresses, or several. */
  readonly to: readonly Expression[];
  readonly cc: readonly Expression[];
  readonly replyTo: readonly Expression[];
  readonly subject: Expression | undefined;
  readonly text: Template | undefined;
  readonly html: Template | undefined;
  /** `deliver: afterCommit`: the mail is stored with the changes and sent after the commit. */
  readonly isDelivered: boolean;
  /** The position of `message`. */
  readonly span: Span;
  /** The fields of `message`, and `deliver` of its instruction. */
  readonly fields: FieldSpans;
}

/** Names of the supported signature schemes. */
export const signatureSchemes = ['github', 'stripe', 'slack', 'standard-webhooks'] as const;
export type SignatureScheme = (typeof signatureSchemes)[number];

/** `signature` of a request; its secret is an expression. */
export interface RequestSignature {
  readonly scheme: SignatureScheme;
  readonly secret: Expression;
}

/** `pages` of a request: how to find the next page, and the elements of a page. */
export interface Pages {
  /** `link` for the Link header, otherwise the path of the next page in the body. */
  readonly next: 'link' | Path;
  readonly parameter: WithSpan<string> | undefined;
  /** The path of the elements in the body; empty if the body itself is the list. */
  readonly items: Path;
  readonly max: number;
}

/** `retry` of a request or datasource; if undefined, the runtime's default applies. */
export interface Retry {
  /** The maximum number of retries. */
  readonly times: number;
  readonly on: readonly (number | RetriedFailure)[] | undefined;
  /** The longest pause before the first retry, in seconds; doubled for each further retry. */
  readonly wait: number | undefined;
  readonly maxWait: number | undefined;
}

/** Failures after which a request can be retried, as named by FAILURE. */
export const retriedFailures = ['unreachable', 'timeout', 'unreadable'] as const;
export type RetriedFailure = (typeof retriedFailures)[number];

/** Has either `if` or `constraint`, unless an error was reported. */
export interface Exception {
  readonly if: Expression | undefined;
  /** The constraint of the database whose violation ends the operation. */
  readonly constraint: WithSpan<string> | undefined;
  readonly statuscode: number;
  readonly message: Template;
  readonly header: readonly TemplateHeader[];
  /** A short error code for clients. */
  readonly code: ScalarText | undefined;
  /** The body; by default, that of the service's other errors. */
  readonly schema: Schema | undefined;
  readonly span: Span;
  readonly statusSpan: Span;
}

export interface Response {
  readonly name: WithSpan<string>;
  readonly default: boolean;
  /** False if `default` is missing or unreadable, which has been reported. */
  readonly isDefaultKnown: boolean;
  readonly if: Expression | undefined;
  readonly statuscode: WithSpan<number>;
  readonly schema: Schema | undefined;
  readonly header: readonly TemplateHeader[];
  /** The media type; that of JSON without it. */
  readonly contentType: WithSpan<string> | FileType | undefined;
  /** The name under which clients store the body. */
  readonly fileName: Expression | undefined;
  /** The version of the response body; true to use its hash. */
  readonly etag: true | Expression | undefined;
  /** True if a CSV body must be safe to open in a spreadsheet, which runs some cells as formulas. */
  readonly spreadsheet: boolean;
  readonly omits: Omits;
  readonly fields: FieldSpans;
}

/** `omitNull` and `omitEmpty` as written. */
export interface Omits {
  readonly null: boolean | undefined;
  readonly empty: boolean | undefined;
}

/** The media type of a stored file. */
export interface FileType {
  /** The one that is stored with the file; undefined if it could not be read. */
  readonly stored: Expression | undefined;
  /** The types that are sent; files of other types are application/octet-stream. */
  readonly allowed: readonly WithSpan<string>[];
  readonly span: Span;
}

export interface SchemaField {
  readonly key: string;
  readonly span: Span;
  readonly value: Schema;
}

/** Schema notation: a map is an object, `list` and `item` together are an array, a leaf is an expression (docs/design/responses.md#res-2). */
export type Schema =
  | { readonly kind: 'object'; readonly fields: readonly SchemaField[] }
  | { readonly kind: 'array'; readonly list: Expression; readonly item: Schema }
  | {
      readonly kind: 'leaf';
      readonly value: Expression;
      /** Set if a part could not be read (already reported), so that the type of the expression is unreliable. */
      readonly isFaulty?: true;
    };

export interface Trigger {
  readonly name: WithSpan<string>;
  readonly cron: ScalarText | undefined;
  readonly timezone: ScalarText | undefined;
}

export interface Mapping {
  readonly model: WithSpan<string>;
  readonly fields: readonly { readonly field: WithSpan<string>; readonly value: Expression | undefined }[];
  /** True if the mapping is not a map (already reported), so that missing fields are not reported. */
  readonly isUnread?: boolean;
}

/** `Key: Value` with a constant value. */
export interface HeaderField {
  readonly name: WithSpan<string>;
  readonly value: ScalarText;
}

interface DatasourceBase {
  readonly name: WithSpan<string>;
  readonly url: ScalarText | undefined;
  readonly user: ScalarText | undefined;
  readonly password: ScalarText | undefined;
  /** The timeout in seconds. */
  readonly timeout: number | undefined;
  readonly fields: FieldSpans;
}

export interface DatabaseDatasource extends DatasourceBase {
  readonly type: 'db';
  /** The SQL dialect; undefined if unknown, which has been reported. */
  readonly dialect: Dialect | undefined;
  readonly driver: ScalarText | undefined;
  readonly pool: { readonly min: number | undefined; readonly max: number | undefined };
  /** Connection settings that are set while statements run; a setting with an unreadable value is omitted. */
  readonly context: readonly ContextSetting[];
  /** The database role that executes the statements. */
  readonly role: ScalarText | undefined;
}

/** A third-party API. */
export interface RestDatasource extends DatasourceBase {
  readonly type: 'rest';
  readonly dialect: undefined;
  readonly header: readonly HeaderField[];
  /** The default for the datasource's requests. */
  readonly response: ResponseForm | undefined;
  /** The default for the datasource's requests. */
  readonly retry: Retry | undefined;
  readonly oauth2: OAuth2 | undefined;
  readonly signature: DatasourceSignature | undefined;
  readonly limit: Limit | undefined;
  /** The file name of the third party's API description. */
  readonly description: ScalarText | undefined;
  /** The database datasource that stores requests until they are sent. */
  readonly outbox: WithSpan<string> | undefined;
}

/** A mail server. */
export interface SmtpDatasource extends DatasourceBase {
  readonly type: 'smtp';
  readonly dialect: undefined;
  /** The sender: an address, or a name with an address in angle brackets. */
  readonly from: ScalarText | undefined;
  /** The database datasource that stores mails until they are sent. */
  readonly outbox: WithSpan<string> | undefined;
}

/** A datasource whose type is unknown (already reported). A database URL still shows the dialect, so SQL can be checked. */
export interface UnknownDatasource extends DatasourceBase {
  readonly type: undefined;
  readonly dialect: Dialect | undefined;
}

/** One member per type, so that code which depends on the type fails to compile until it handles a new type. */
export type KnownDatasource = DatabaseDatasource | RestDatasource | SmtpDatasource;

export type Datasource = KnownDatasource | UnknownDatasource;

export type DatasourceType = KnownDatasource['type'];

/** The datasource, if it is a third-party API. */
export function asThirdParty(datasource: Datasource | undefined): RestDatasource | undefined {
  return datasource?.type === 'rest' ? datasource : undefined;
}

/** The database that stores what the datasource sends after a commit. */
export function outboxFieldOf(datasource: Datasource | undefined): WithSpan<string> | undefined {
  return datasource?.type === 'rest' || datasource?.type === 'smtp' ? datasource.outbox : undefined;
}

/** The headers added to each request of a datasource. */
export function headersOf(datasource: Datasource): readonly HeaderField[] {
  return asThirdParty(datasource)?.header ?? [];
}

/** `oauth2` of a datasource: log-in with client credentials. */
export interface OAuth2 {
  readonly tokenUrl: ScalarText | undefined;
  readonly clientId: ScalarText | undefined;
  readonly clientSecret: ScalarText | undefined;
  readonly scope: ScalarText | undefined;
  /** Additional fields of the token request. */
  readonly parameters: readonly HeaderField[];
  /** How the client authenticates; HTTP Basic by default. */
  readonly clientAuth: 'basic' | 'body' | undefined;
}

/** `signature` of a datasource: how its requests are signed. */
export interface DatasourceSignature {
  readonly scheme: SignatureScheme;
  readonly secret: ScalarText;
}

/** `limit` of a datasource: the request limit of each process. */
export interface Limit {
  readonly perSecond: number | undefined;
  readonly atOnce: number | undefined;
}

/** A setting of the database context: `app.tenant: CALLER($.tenant)`. */
export interface ContextSetting {
  readonly name: WithSpan<string>;
  readonly syntax: Syntax;
  readonly value: Expression | undefined;
}

interface AuthenticationBase {
  readonly name: WithSpan<string>;
  /** Whether operations that do not list authentications accept this one. */
  readonly default: boolean;
  /** How many requests may present its credentials in a time. */
  readonly limits: readonly RequestLimit[];
  readonly fields: FieldSpans;
}

/** An HTTP Basic account. */
export interface BasicAuthentication extends AuthenticationBase {
  readonly type: 'basicauth';
  readonly user: ScalarText | undefined;
  readonly password: ScalarText | undefined;
  readonly passwordHash: ScalarText | undefined;
  /** The operation that finds the account of a user, in place of one account. */
  readonly operation: WithSpan<string> | undefined;
}

/** Tokens that the service issues. */
export interface TokenIssue {
  /** The position of the field. */
  readonly span: Span;
  /** In seconds; the only one is unnamed. */
  readonly lifetimes: readonly { readonly name: string | undefined; readonly seconds: number }[];
  readonly claims: readonly WithSpan<string>[];
  /** The keys that sign (the first one) and verify. */
  readonly keys: readonly ScalarText[];
}

/** Tokens of an issuer (JWT). */
export interface TokenAuthentication extends AuthenticationBase {
  readonly type: 'jwt';
  /** `none` if it is not checked. */
  readonly issuer: ScalarText | undefined;
  /** `none` if it is not checked. */
  readonly audience: ScalarText | undefined;
  readonly expiry: WithSpan<'none'> | undefined;
  readonly jwks: ScalarText | undefined;
  readonly key: ScalarText | undefined;
  readonly algorithms: readonly WithSpan<string>[];
  /** The scheme that precedes the token in the header. */
  readonly scheme: WithSpan<string> | undefined;
  readonly cookie: WithSpan<string> | undefined;
  readonly scopesClaim: WithSpan<string> | undefined;
  readonly issue: TokenIssue | undefined;
  /** The operation that finds the caller for the claims of a token. */
  readonly operation: WithSpan<string> | undefined;
}

/** The issuer or audience that tokens must have; undefined if the configuration switches the check off. */
export function checkedIdentifier(text: ScalarText | undefined): ScalarText | undefined {
  return text?.value === 'none' ? undefined : text;
}

/** API keys of clients. */
export interface KeyAuthentication extends AuthenticationBase {
  readonly type: 'apikey';
  readonly header: WithSpan<string> | undefined;
  readonly query: WithSpan<string> | undefined;
  readonly cookie: WithSpan<string> | undefined;
  /** The scheme that precedes the key in the `Authorization` header. */
  readonly scheme: WithSpan<string> | undefined;
  /** The beginning of all keys. */
  readonly prefix: WithSpan<string> | undefined;
  readonly keys: readonly { readonly name: WithSpan<string>; readonly value: ScalarText }[];
  /** The operation that finds the caller for a key. */
  readonly operation: WithSpan<string> | undefined;
}

/** Signed requests, such as webhooks. */
export interface SignatureAuthentication extends AuthenticationBase {
  readonly type: 'signature';
  readonly scheme: WithSpan<SignatureScheme> | undefined;
  readonly secrets: readonly ScalarText[];
}

/** An authentication whose credentials are checked by `src/middleware.ts`. */
export interface CustomAuthentication extends AuthenticationBase {
  readonly type: 'custom';
}

/** An authentication whose type is unknown, which has been reported. */
export interface UnknownAuthentication extends AuthenticationBase {
  readonly type: undefined;
}

/** One member per type, so that code which depends on the type fails to compile until it handles a new type. */
export type KnownAuthentication =
  | BasicAuthentication
  | TokenAuthentication
  | KeyAuthentication
  | SignatureAuthentication
  | CustomAuthentication;

export type Authentication = KnownAuthentication | UnknownAuthentication;

export type AuthenticationType = KnownAuthentication['type'];

/** The authentication with that type. */
export type AuthenticationOf<Type extends AuthenticationType> = Extract<
  KnownAuthentication,
  { readonly type: Type }
>;

/** The name of an authentication, and the operation's requirements for callers. */
export interface AcceptedAuthentication extends WithSpan<string> {
  readonly scopes: readonly WithSpan<string>[];
  /** Whether requests without credentials are accepted as well. */
  readonly isOptional: boolean;
}

/** `settings.errors`: `message` for `{"message"}`, `problem` for problem details (RFC 9457), or a list of forms. */
export type Errors = 'message' | 'problem' | readonly ErrorForm[];

/** The body of errors with the listed statuses. */
export interface ErrorForm {
  /** Statuses and classes such as `4xx`; undefined for all statuses. */
  readonly statuses: readonly (number | string)[] | undefined;
  /** A JSON type, or text/plain. */
  readonly contentType: ScalarText | undefined;
  /** The body; of text/plain one value. */
  readonly schema: Schema | undefined;
}

export interface Settings {
  readonly debug: boolean;
  /** Whether the API description is published, without the test page. */
  readonly apiDocs: boolean;
  /** The prefix of every operation's path: `/api/v1`, or an empty string. */
  readonly basePath: string;
  readonly errors: Errors;
  /** How responses send bigint, numeric and decimal: as numbers that a double holds, otherwise strings; or always as strings. */
  readonly numbers: 'exact' | 'string';
  /** For responses without these fields. */
  readonly omits: Omits;
  readonly licence: ScalarText | undefined;
  /** How many requests all operations together accept in a time. */
  readonly limits: readonly RequestLimit[];
  readonly fields: FieldSpans;
}
