/** Parts of the plan of an operation. */
import type { Endpoint, Schema } from '../../read/config/config-model.js';
import type { Expression, PageFact, Syntax, Template } from '../../read/expression/ast.js';
import type { ApiSchema } from '../../read/openapi/api-model.js';
import type { ContentKind } from '../../read/openapi/media-type.js';
import type { Body } from '../../analyze/mapping/body-parts.js';
import type { Digits } from '../../analyze/types/sent-digits.js';
import type { LoweredSql } from '../../read/sql/rewrite/lower.js';
import type { SqlPart } from '../../read/sql/rewrite/text-part.js';
import type { BoundForm } from './statements/bound-forms.js';
import type { DescribedResponses } from './responses/described-responses.js';
import type { DatasourceIdentifier } from './names/identifiers.js';
import type { ListPlan } from './results/list-plan.js';
import type { MessagePlan } from './requests/message-plan.js';
import type { RequestPlan } from './requests/request-plan.js';
import type { RepeatedReads } from './requests/repeated-reads.js';
import type { ReadRequest, ReadValue } from './requests/request-read.js';
import type { StoredClaims } from '../../analyze/operations/stored-claims.js';
import type { StoredPart } from './results/result-uses.js';
import type { RowPlan } from './results/row-plan.js';
import type { Source } from './statements/sources.js';
import type { Omitted } from '../../../runtime/responses/omitted-fields.js';

export interface OperationPlan extends CalledOperation {
  readonly syntax: Syntax;
  readonly endpoint: Endpoint | undefined;
  /** The summary in the API description. */
  readonly summary: string | undefined;
  /** Whether all statements run in one transaction per datasource. */
  readonly transaction: boolean;
  /** Whether requests can have an idempotency key, so the transaction stores the response. */
  readonly isKeyed: boolean;
  readonly triggers: readonly TriggerPlan[];
  /** Types of the request values that the operation reads; undefined if unknown. */
  readonly request: ReadRequest | undefined;
  /** Request values read at several positions. */
  readonly repeated: RepeatedReads;
  /** The status of an invalid request, if not 400. */
  readonly invalid: 422 | undefined;
  /** The names of the authentications whose tokens the operation issues. */
  readonly issuers: ReadonlySet<string>;
  /** The names of the user functions that its expressions call. */
  readonly functions: ReadonlySet<string>;
  /** Exceptions checked before the first step. */
  readonly exceptions: readonly ExceptionPlan[];
  readonly steps: readonly StepPlan[];
  /** The described parts of third-party responses that the operation reads. */
  readonly described: readonly DescribedResponses[];
  /** The last step, if its rows are streamed. */
  readonly streamed: DataStep | undefined;
  /** Results whose rows are converted to JSON while they are read. */
  readonly jsonRows: ReadonlyMap<StepPlan, JsonRowsPlan>;
  readonly overlap: OverlapPlan;
  /** Comparisons whose result is known at their position. */
  readonly settled: ReadonlySet<Expression>;
  /** COALESCE arguments that are never evaluated. */
  readonly unreached: ReadonlySet<Expression>;
  /** Comparisons with a value known to be a time. */
  readonly times: ReadonlySet<Expression>;
  /** Leaves of schemas, and parts of mapped bodies, whose numbers are sent as strings. */
  readonly digits: ReadonlyMap<Schema | Body, Digits>;
  /** Responses with a condition in order, then the default; empty for an operation without a response. */
  readonly responses: readonly ResponsePlan[];
}

/** A list that is converted to JSON while it is read. */
export interface JsonRowsPlan {
  /** The name of the response that contains the list. */
  readonly response: string;
  /** The key of each element field with its column; undefined if the rows are used unchanged. */
  readonly fields: readonly (readonly [key: string, column: string])[] | undefined;
  /** The keys whose numbers are sent as strings, with the digits after the point. */
  readonly scales: readonly (readonly [key: string, scale: number])[];
}

export interface ResponsePlan {
  readonly name: string;
  /** Undefined for the default response. */
  readonly condition: Expression | undefined;
  readonly status: number;
  /** Undefined for a response without a body. */
  readonly schema: Schema | undefined;
  /** The body built from mappings; undefined if the response has a schema or no body. */
  readonly mapped: Body | undefined;
  readonly header: readonly ResponseHeader[];
  readonly content: ContentPlan | undefined;
  readonly fileName: Expression | undefined;
  readonly etag: true | Expression | undefined;
  /** Whether the response has a secret that the operation made: it is neither stored by caches nor compressed. */
  readonly isSecret: boolean;
  /** The fields of objects that are left out of JSON. */
  readonly omitted: Omitted | undefined;
}

/** A response header: its value, with the encoders of its placeholders. */
export interface ResponseHeader {
  readonly name: string;
  /** A value that is a single placeholder has exactly one part. */
  readonly parts: readonly (string | EncodedValue)[];
}

export interface EncodedValue {
  readonly value: Expression;
  /** The runtime function that encodes the value for its position; undefined if the value is not encoded. */
  readonly encode: 'segment' | 'storedSegment' | 'encode' | 'urlReference' | 'cookieValue' | undefined;
}

/** Content other than plain JSON. */
export interface ContentPlan {
  /** The media type; of a stored file, all that it may have, in words. */
  readonly type: string;
  /** The media type of a stored file. */
  readonly file: { readonly stored: Expression; readonly allowed: readonly string[] } | undefined;
  readonly kind: ContentKind;
  /** Columns of a CSV file. */
  readonly columns: readonly string[];
  readonly spreadsheet: boolean;
}

/** A timed trigger. */
export interface TriggerPlan {
  readonly trigger: string;
  readonly cron: string;
  readonly timezone: string | undefined;
}

export type ExceptionPlan = ErrorPlan &
  (
    | { readonly condition: Expression; readonly constraint?: undefined }
    | { readonly condition?: undefined; readonly constraint: string }
  );

/** The response of an exception. */
export interface ErrorPlan {
  readonly statuscode: number;
  readonly message: Template;
  readonly header: readonly ResponseHeader[];
  readonly code: string | undefined;
  readonly schema: Schema | undefined;
  /** Whether the response has a secret that the operation made. */
  readonly isSecret: boolean;
}

export interface StepBase {
  readonly fulfillment: string;
  readonly condition: Expression | undefined;
  readonly exceptions: readonly ExceptionPlan[];
  /** Conditions that end the enclosing loop, checked right after this step. */
  readonly loopbreak: readonly Expression[];
  /** The index under which the result is stored; undefined if the stored results are not read. */
  readonly index: Expression | undefined;
  /** The parts of its result that are stored under the index. */
  readonly stored: readonly StoredPart[];
  /** True when an expression of a later step or a response reads the result. */
  readonly isReadLater: boolean;
  /** Whether the step's own exceptions, loopbreaks or index read the result. */
  readonly isReadHere: boolean;
}

/** A READ or UPDATE fulfillment. */
export interface DataStep extends StepBase {
  readonly kind: 'data';
  /** Database rows, the body of a third-party response, that body with its status, or whether a mail was sent. */
  readonly result: 'rows' | 'body' | 'response' | 'outcome';
  /** Whether the operation continues without a usable response. */
  readonly continues: boolean;
  /** The row type, if all columns are known. */
  readonly row: RowPlan | undefined;
  /** Whether only the first row is read. */
  readonly isFirstRow: boolean;
  /** Set if the result is a page of a list: which parts of it are read. */
  readonly page: PageReads | undefined;
  /** Tried from top to bottom; choices after an unconditional one are omitted. */
  readonly choices: readonly ChoicePlan[];
}

/** The parts of a page that are read: the next-page token, other facts about the page, and the rows. */
export interface PageReads {
  readonly isNextRead: boolean;
  readonly facts: readonly PageFact[];
  readonly areRowsRead: boolean;
}

/** A LOOP fulfillment. Its name refers to the current element; `loopbreak` is checked at the end of each iteration. */
export interface LoopStep extends StepBase {
  readonly kind: 'loop';
  readonly loop: Expression;
  /** Whether an expression inside the loop reads the current element. */
  readonly isElementRead: boolean;
  readonly steps: readonly StepPlan[];
  /** Number of concurrent iterations. */
  readonly concurrency: number;
}

/** A reference call. */
export interface ReferenceStep extends StepBase {
  readonly kind: 'reference';
  readonly called: CalledOperation;
  readonly parameters: readonly { readonly name: string; readonly value: Schema }[];
  /** The parameter `body`. */
  readonly body: Schema | undefined;
  /** Whether the operation continues if the call fails: the result is then a status and a body. */
  readonly continues: boolean;
}

/** A call of an operation that is stored in the transaction, and made after the commit. */
export interface DeferredStep extends StepBase {
  readonly kind: 'deferred';
  readonly called: CalledOperation;
  readonly parameters: ReferenceStep['parameters'];
  readonly body: Schema | undefined;
  /** The database that stores the call. */
  readonly outbox: DatasourceIdentifier;
  readonly claims: StoredClaims;
  /** Whether the call is stored encrypted. */
  readonly isSealed: boolean;
  readonly times: number | undefined;
  /** Seconds. */
  readonly within: number | undefined;
}

/** A call to a user function. */
export interface CodeStep extends StepBase {
  readonly kind: 'code';
  /** The function exported by `src/code/<function>.ts`. */
  readonly function: string;
  readonly input: Schema | undefined;
  /** The schema of the result; undefined if there is none. */
  readonly returns: ApiSchema | undefined;
  /** The type of the result for handlers; undefined if there is none. */
  readonly result: ReadValue | undefined;
}

/** A value that is computed without a database. */
export interface ComputeStep extends StepBase {
  readonly kind: 'compute';
  readonly schema: Schema;
}

export type StepPlan = DataStep | LoopStep | ReferenceStep | DeferredStep | CodeStep | ComputeStep;

export interface ChoicePlan {
  readonly condition: Expression | undefined;
  readonly action: StatementPlan | RequestPlan | MessagePlan;
}

export interface StatementPlan {
  readonly kind: 'statement';
  readonly use: 'READ' | 'UPDATE';
  /** The identifier of the statement's datasource. */
  readonly datasource: DatasourceIdentifier;
  readonly fulfillment: string;
  readonly sql: LoweredSql;
  /** Whether the statement runs between BEGIN and COMMIT, because it could end the transaction that holds its context. */
  readonly isEnclosed: boolean;
  /** The table that the statement changes, or reads first. */
  readonly table: string | undefined;
  /** The parsed parts of the SQL, without an added RETURNING clause. */
  readonly parts: readonly SqlPart[];
  /** The SQL of these parts with its placeholders; undefined if lists make the number of placeholders vary. */
  readonly text: string | undefined;
  /** SQL that runs the statement for several elements of the enclosing loop in one query; undefined if it must run once per element. */
  readonly each: string | undefined;
  /** The part of the request that each binding comes from. */
  readonly sources: readonly (Source | undefined)[];
  /** Bindings, by index, that must be converted for the database. */
  readonly forms: ReadonlyMap<number, BoundForm>;
  /** MySQL only: a SELECT of the columns that the values are written to. */
  readonly written: string | undefined;
  /** MySQL only: a SELECT of the columns that the values are compared with. */
  readonly compared: string | undefined;
  /** Set if a request chooses the order of the rows. */
  readonly list: ListPlan | undefined;
}

/** Facts about an operation needed by references to it. */
export interface CalledOperation {
  readonly name: string;
  readonly functionName: string;
  /** The constant holding the described responses of the operation's requests. */
  readonly responsesName: string;
  /** File name without folder and extension. */
  readonly fileName: string;
  /** The configuration file that contains the operation, relative to the configuration's folder. */
  readonly writtenIn: string;
  /** Whether the operation, directly or through calls, reads the request body. */
  readonly readsBody: boolean;
  /** The bodies that it accepts, with their media types; undefined for the usual types of JSON. */
  readonly accepts: { readonly kind: 'json' | 'text'; readonly types: readonly string[] } | undefined;
  /** Whether the operation, directly or through calls, passes an uploaded file on. */
  readonly readsFiles: boolean;
  /** The parts of which the operation, directly or through calls, reads all files. */
  readonly fileLists: readonly string[];
  /** Whether a request with files may start the operation; PARAM of a file then ends the call with an error. */
  readonly receivesFiles: boolean;
  /** Whether the operation, directly or through calls, sends third-party requests or calls user functions, which cannot be rolled back. */
  readonly hasOtherEffects: boolean;
  /** Whether other operations call this one. */
  readonly isCalled: boolean;
}

/** A step with a single statement. In loops and groups of reads: a READ that may run twice or unnecessarily. */
export interface ReadStep {
  readonly step: DataStep;
  readonly statement: StatementPlan;
}

/** Statements and requests that an operation sends ahead of their turn. */
export interface OverlapPlan {
  /** Adjacent independent reads, by the first read. */
  readonly together: ReadonlyMap<StepPlan, readonly ReadStep[]>;
  /** Loops that contain only reads, which depend on the element, on values known before the loop, and on each other's rows. */
  readonly loops: ReadonlyMap<LoopStep, LoopAhead>;
  /** Requests to third parties that are sent at the same time, by the first one of each group. */
  readonly requests: ReadonlyMap<StepPlan, readonly DataStep[]>;
  /** Loops of a transaction whose statements need nothing of each other. */
  readonly sent: ReadonlyMap<LoopStep, LoopSent>;
}

/** A loop whose reads are sent ahead. */
export interface LoopAhead {
  readonly reads: readonly ReadStep[];
  /** Whether a read needs rows of an earlier read, or has a condition. */
  readonly isChain: boolean;
  /** Whether a value of the statements reads the element. */
  readonly isElementSent: boolean;
  /** Whether other expressions in the loop read the element. */
  readonly isElementRead: boolean;
}

/** A loop in a transaction whose statements are sent for several elements without waiting in between. */
export interface LoopSent {
  readonly statements: readonly ReadStep[];
  /** Whether expressions in the loop other than the statements' values read the element. */
  readonly isElementRead: boolean;
}
