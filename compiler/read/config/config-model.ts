/** The resources of a configuration, as read: every field by its name in the configuration, expressions already as trees. */
import type { Expression, Path, Syntax, Template } from '../expression/ast.js';
import type { WithSpan, Span, ScalarText, Source } from '../source.js';
import type { MapNode } from './yaml/node.js';
import type { Dialect } from '../sql/dialect.js';
import type { ReadSql, SqlStatement } from '../sql/statement.js';

export interface Config {
  readonly source: Source;
  /** The files that it includes, in the order of their names. */
  readonly included: readonly Source[];
  /** In the order of the file, as are all lists here; those of included files follow. */
  readonly operations: readonly Operation[];
  readonly datasources: readonly Datasource[];
  readonly authentications: readonly Authentication[];
  readonly settings: Settings;
}

export interface Operation {
  readonly name: WithSpan<string>;
  readonly syntax: Syntax;
  /** Set when the operation has an API trigger. */
  readonly endpoint: Endpoint | undefined;
  /** Checked before the first fulfillment; they read the request, the caller and constants. */
  readonly exceptions: readonly Exception[];
  readonly fulfillments: readonly Fulfillment[];
  readonly responses: readonly Response[];
  readonly triggers: readonly Trigger[];
  readonly mappings: readonly Mapping[];
  readonly transaction: boolean;
  /** The authentications that open this operation; undefined without a list. */
  readonly authentications: readonly AcceptedAuthentication[] | undefined;
  /** Fields of the operation, with the span of each key. */
  readonly fields: FieldSpans;
}

/** The spans of the fields of a resource, by name: for rules about fields that must or must not exist. */
export type FieldSpans = ReadonlyMap<string, Span>;

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';

export interface Endpoint {
  readonly method: HttpMethod;
  /** As it is written: `/news/{id}`. */
  readonly path: string;
  /** Names of the `{param}` parts in order. */
  readonly parameters: readonly string[];
}

interface FulfillmentBase {
  readonly name: WithSpan<string>;
  readonly if: Expression | undefined;
  readonly exceptions: readonly Exception[];
  readonly loopbreak: readonly Expression[];
  readonly index: Expression | undefined;
  /** `onFailure: continue`, of requests and references: the operation continues after a failure. */
  readonly continues: boolean;
  readonly fields: FieldSpans;
}

/** READ and UPDATE, in either syntax: the first instruction whose `if` is true or missing is executed. */
export interface DataFulfillment extends FulfillmentBase {
  readonly type: 'READ' | 'UPDATE';
  readonly datasource: WithSpan<string>;
  readonly instructions: readonly Instruction[];
  readonly join: readonly WithSpan<Expression>[];
  /** Of a READ: the orders in which its rows may be asked for. */
  readonly order: ListOrder | undefined;
  /** Of a READ with an order: its rows are read in pages. */
  readonly page: ListPage | undefined;
}

/** `order` of a READ: the orders among which a request chooses. */
export interface ListOrder {
  /** The name of the order; the default one where it is null or missing. */
  readonly by: Expression | undefined;
  /** By the names under which they are asked for. */
  readonly allow: readonly { readonly name: WithSpan<string>; readonly columns: readonly OrderColumn[] }[];
  readonly default: WithSpan<string> | undefined;
  /** Columns that are unique together, which end every order. */
  readonly key: readonly OrderColumn[];
  readonly fields: FieldSpans;
}

/** `created DESC NULLS LAST` */
export interface OrderColumn {
  /** Without its quotes. */
  readonly name: string;
  readonly isQuoted: boolean;
  readonly isDescending: boolean;
  /** Where rows without a value are, if it is written. */
  readonly nulls: 'first' | 'last' | undefined;
  readonly span: Span;
}

/** `page` of a READ. */
export interface ListPage {
  readonly limit: Expression | undefined;
  readonly max: number;
  readonly after: Expression | undefined;
}

export interface LoopFulfillment extends FulfillmentBase {
  readonly type: 'LOOP';
  readonly loop: Expression | undefined;
  readonly fulfillments: readonly Fulfillment[];
  /** Iterations at a time; 1 by default. */
  readonly concurrency: number;
}

export interface ReferenceFulfillment extends FulfillmentBase {
  readonly type: 'REFERENCE';
  readonly operationName: WithSpan<string>;
  readonly parameters: readonly { readonly name: WithSpan<string>; readonly value: Schema }[];
}

/** `type: CODE`: a function of the user's. */
export interface CodeFulfillment extends FulfillmentBase {
  readonly type: 'CODE';
  /** The function that `src/code/<name>.ts` exports. */
  readonly function: WithSpan<string>;
  readonly input: Schema | undefined;
  readonly join: readonly WithSpan<Expression>[];
  /** Undefined for a function without a result, and where it could not be read, which has been reported. */
  readonly returns: CodeResult | undefined;
}

/** `returns`: a model of the API description, a list of such (`Price[]`), or a JSON schema. */
export type CodeResult =
  | { readonly kind: 'model'; readonly name: string; readonly isList: boolean; readonly span: Span }
  | { readonly kind: 'schema'; readonly node: MapNode };

export type Fulfillment = DataFulfillment | LoopFulfillment | ReferenceFulfillment | CodeFulfillment;

/** An instruction of Syntax A or a query of Syntax B. */
export interface Instruction {
  readonly if: Expression | undefined;
  /**
   * Undefined when it has neither `query`, `sql` nor `request`, or a wrong one: that has been reported. Its SQL is an action after the rules of
   * SQL have seen it.
   */
  readonly action: SqlStatement | Request | undefined;
  /** Its SQL as it was read. */
  readonly sql: ReadSql | undefined;
  /** Every readable expression in its SQL, also without a statement: for the checks. */
  readonly expressions: readonly Expression[];
  readonly span: Span;
}

/** `contentType` of the body of a request: `application/json`, or `application/x-www-form-urlencoded`. */
export type BodyType = 'json' | 'form';

/** `response`: the type of a result, whatever its content type. */
export type ResponseForm = 'json' | 'text';

/** `Key: Value` with placeholders. */
export interface TemplateHeader {
  readonly name: WithSpan<string>;
  readonly value: Template;
  readonly valueSpan: Span;
}

export interface Request {
  readonly kind: 'request';
  readonly url: WithSpan<Template> | undefined;
  /** In upper case. */
  readonly httpType: WithSpan<string>;
  /** `idempotencyKey` is the last of them. */
  readonly header: readonly TemplateHeader[];
  readonly body: Schema | undefined;
  /** How the body is sent; undefined without one, or where it could not be read. */
  readonly bodyType: BodyType | undefined;
  readonly multipart: readonly { readonly name: WithSpan<string>; readonly value: Expression }[];
  /** In place of that of the datasource. */
  readonly response: ResponseForm | undefined;
  /** In place of that of the datasource. */
  readonly retry: Retry | undefined;
  readonly pages: Pages | undefined;
  /** In place of that of the datasource. */
  readonly signature: RequestSignature | undefined;
  /** `deliver: afterCommit`: stored with the change, and sent after its commit. */
  readonly isDelivered: boolean;
  /** Requests of one key are delivered in order. */
  readonly key: Expression | undefined;
  readonly fields: FieldSpans;
}

/** How the schemes of signatures are called. */
export const signatureSchemes = ['github', 'stripe', 'slack', 'standard-webhooks'] as const;
export type SignatureScheme = (typeof signatureSchemes)[number];

/** `signature` of a request, with a secret that an expression has. */
export interface RequestSignature {
  readonly scheme: SignatureScheme;
  readonly secret: Expression;
}

/** `pages` of a request: where the next page and the elements of a page are. */
export interface Pages {
  /** The header Link, or where the body has the next page. */
  readonly next: 'link' | Path;
  readonly parameter: WithSpan<string> | undefined;
  /** Where the body has the elements; empty for the whole body. */
  readonly items: Path;
  readonly max: number;
}

/** `retry` of a request or datasource; undefined is the default of the runtime. */
export interface Retry {
  /** Further requests at most. */
  readonly times: number;
  readonly on: readonly (number | RetriedFailure)[] | undefined;
  /** Seconds. */
  readonly wait: number | undefined;
  readonly maxWait: number | undefined;
}

/** Failures after which a request may be sent again, by the words of FAILURE. */
export const retriedFailures = ['unreachable', 'timeout', 'unreadable'] as const;
export type RetriedFailure = (typeof retriedFailures)[number];

export interface Exception {
  readonly if: Expression | undefined;
  readonly statuscode: number;
  readonly message: Template;
  readonly header: readonly TemplateHeader[];
  /** A short name for programs. */
  readonly code: ScalarText | undefined;
  /** Its own body; that of the service's errors without it. */
  readonly schema: Schema | undefined;
  readonly span: Span;
  readonly statusSpan: Span;
}

export interface Response {
  readonly name: WithSpan<string>;
  readonly default: boolean;
  /** False when `default` is missing or could not be read: that has been reported. */
  readonly isDefaultKnown: boolean;
  readonly if: Expression | undefined;
  readonly statuscode: WithSpan<number>;
  readonly schema: Schema | undefined;
  readonly header: readonly TemplateHeader[];
  /** The media type; that of JSON without it. */
  readonly contentType: WithSpan<string> | undefined;
  /** The name under which clients store the body. */
  readonly fileName: Expression | undefined;
  /** The version of the sent body; true for its hash. */
  readonly etag: true | Expression | undefined;
  /** Whether a CSV is for programs that run cells as formulas. */
  readonly spreadsheet: boolean;
  readonly fields: FieldSpans;
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
      /** Set where a part of it could not be read, which has been reported: then its type proves nothing. */
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
  /** True if it is not a map, which has been reported: then missing fields are not reported. */
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
  /** Seconds. */
  readonly timeout: number | undefined;
  readonly fields: FieldSpans;
}

export interface DatabaseDatasource extends DatasourceBase {
  readonly type: 'db';
  /** Undefined if it is unknown, which has been reported. */
  readonly dialect: Dialect | undefined;
  readonly driver: ScalarText | undefined;
  readonly pool: { readonly min: number | undefined; readonly max: number | undefined };
  /** The settings of the connection while its statements run; empty for a value that could not be read. */
  readonly context: readonly ContextSetting[];
  /** The role of its statements. */
  readonly role: ScalarText | undefined;
}

/** The API of a third party. */
export interface RestDatasource extends DatasourceBase {
  readonly type: 'rest';
  readonly dialect: undefined;
  readonly header: readonly HeaderField[];
  /** Of its requests. */
  readonly response: ResponseForm | undefined;
  /** Of its requests. */
  readonly retry: Retry | undefined;
  readonly oauth2: OAuth2 | undefined;
  readonly signature: DatasourceSignature | undefined;
  readonly limit: Limit | undefined;
  /** The file of the third party's API description. */
  readonly description: ScalarText | undefined;
  /** The database in which requests are stored until they are sent. */
  readonly outbox: WithSpan<string> | undefined;
}

/** One whose type is unknown, which has been reported. A URL of a database shows the dialect, so that SQL can be checked. */
export interface UnknownDatasource extends DatasourceBase {
  readonly type: undefined;
  readonly dialect: Dialect | undefined;
}

/** A member for each type, so that code that depends on the type does not compile until it handles a new one. */
export type KnownDatasource = DatabaseDatasource | RestDatasource;

export type Datasource = KnownDatasource | UnknownDatasource;

export type DatasourceType = KnownDatasource['type'];

/** The datasource if it is a third party. */
export function asThirdParty(datasource: Datasource | undefined): RestDatasource | undefined {
  return datasource?.type === 'rest' ? datasource : undefined;
}

/** The headers of each request of a datasource. */
export function headersOf(datasource: Datasource): readonly HeaderField[] {
  return asThirdParty(datasource)?.header ?? [];
}

/** `oauth2` of a datasource: its log-in with client credentials. */
export interface OAuth2 {
  readonly tokenUrl: ScalarText | undefined;
  readonly clientId: ScalarText | undefined;
  readonly clientSecret: ScalarText | undefined;
  readonly scope: ScalarText | undefined;
  /** Further fields of the request for a token. */
  readonly parameters: readonly HeaderField[];
  /** How the client shows who it is; HTTP Basic without it. */
  readonly clientAuth: 'basic' | 'body' | undefined;
}

/** `signature` of a datasource. */
export interface DatasourceSignature {
  readonly scheme: SignatureScheme;
  readonly secret: ScalarText;
}

/** `limit` of a datasource, for each process. */
export interface Limit {
  readonly perSecond: number | undefined;
  readonly atOnce: number | undefined;
}

/** `app.tenant: CALLER($.tenant)` */
export interface ContextSetting {
  readonly name: WithSpan<string>;
  readonly syntax: Syntax;
  readonly value: Expression | undefined;
}

interface AuthenticationBase {
  readonly name: WithSpan<string>;
  /** Whether operations accept it that name no authentications. */
  readonly default: boolean;
  readonly fields: FieldSpans;
}

/** An account of HTTP Basic. */
export interface BasicAuthentication extends AuthenticationBase {
  readonly type: 'basicauth';
  readonly user: ScalarText | undefined;
  readonly password: ScalarText | undefined;
  readonly passwordHash: ScalarText | undefined;
}

/** Tokens of an issuer. */
export interface TokenAuthentication extends AuthenticationBase {
  readonly type: 'jwt';
  readonly issuer: ScalarText | undefined;
  readonly audience: ScalarText | undefined;
  readonly jwks: ScalarText | undefined;
  readonly key: ScalarText | undefined;
  readonly algorithms: readonly WithSpan<string>[];
  /** The word before a token. */
  readonly scheme: WithSpan<string> | undefined;
  readonly cookie: WithSpan<string> | undefined;
  readonly scopesClaim: WithSpan<string> | undefined;
}

/** Keys of clients. */
export interface KeyAuthentication extends AuthenticationBase {
  readonly type: 'apikey';
  readonly header: WithSpan<string> | undefined;
  readonly query: WithSpan<string> | undefined;
  readonly cookie: WithSpan<string> | undefined;
  readonly keys: readonly { readonly name: WithSpan<string>; readonly value: ScalarText }[];
  /** The operation that finds the caller of a key. */
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

/** One whose type is unknown, which has been reported. */
export interface UnknownAuthentication extends AuthenticationBase {
  readonly type: undefined;
}

/** A member for each type: code that depends on the type does not compile until it knows a new one. */
export type KnownAuthentication =
  | BasicAuthentication
  | TokenAuthentication
  | KeyAuthentication
  | SignatureAuthentication
  | CustomAuthentication;

export type Authentication = KnownAuthentication | UnknownAuthentication;

export type AuthenticationType = KnownAuthentication['type'];

/** The authentication of one type. */
export type AuthenticationOf<Type extends AuthenticationType> = Extract<
  KnownAuthentication,
  { readonly type: Type }
>;

/** The name of an authentication, and an operation's requirements for its callers. */
export interface AcceptedAuthentication extends WithSpan<string> {
  readonly scopes: readonly WithSpan<string>[];
  /** Whether requests without any credentials are accepted, too. */
  readonly isOptional: boolean;
}

/** `settings.errors`: `message` is `{"message"}`, `problem` that of RFC 9457. */
export type Errors = 'message' | 'problem' | readonly ErrorForm[];

/** The body of errors with these statuses. */
export interface ErrorForm {
  /** Statuses, and classes such as `4xx`; undefined for all. */
  readonly statuses: readonly (number | string)[] | undefined;
  readonly contentType: ScalarText | undefined;
  readonly schema: Schema | undefined;
}

export interface Settings {
  readonly debug: boolean;
  /** Whether the API description is published without the test page. */
  readonly apiDocs: boolean;
  /** Before the path of every operation: `/api/v1`, or nothing. */
  readonly basePath: string;
  readonly errors: Errors;
  readonly licence: ScalarText | undefined;
  readonly fields: FieldSpans;
}
