/** Parts of the plan of an operation. */
import type { Endpoint, Schema } from '../../read/config/config-model.js';
import type { Expression, Syntax, Template } from '../../read/expression/ast.js';
import type { ApiSchema } from '../../read/openapi/api-model.js';
import type { ContentKind } from '../../read/openapi/media-type.js';
import type { Body } from '../../analyze/mapping/body-parts.js';
import type { LoweredSql } from '../../read/sql/rewrite/lower.js';
import type { SqlPart } from '../../read/sql/rewrite/text-part.js';
import type { BoundForm } from './statements/bound-forms.js';
import type { DescribedResponses } from './responses/described-responses.js';
import type { DatasourceIdentifier } from './names/identifiers.js';
import type { ListPlan } from './results/list-plan.js';
import type { RequestPlan } from './requests/request-plan.js';
import type { RepeatedReads } from './requests/repeated-reads.js';
import type { ReadRequest, ReadValue } from './requests/request-read.js';
import type { RowPlan } from './results/row-plan.js';
import type { Source } from './statements/sources.js';

export interface OperationPlan extends CalledOperation {
  readonly syntax: Syntax;
  readonly endpoint: Endpoint | undefined;
  /** Its summary in the API description. */
  readonly summary: string | undefined;
  /** True when all its statements run in one transaction per datasource. */
  readonly transaction: boolean;
  readonly triggers: readonly TriggerPlan[];
  /** The types of the values that it reads from its request; undefined where they are not known. */
  readonly request: ReadRequest | undefined;
  /** Request values that it reads at several positions. */
  readonly repeated: RepeatedReads;
  /** The status of an invalid request, where it is not 400. */
  readonly invalid: 422 | undefined;
  /** Checked before the first step. */
  readonly exceptions: readonly ExceptionPlan[];
  readonly steps: readonly StepPlan[];
  /** The described parts of third parties' responses that it reads. */
  readonly described: readonly DescribedResponses[];
  /** The last of them, if its rows are written while they arrive. */
  readonly streamed: DataStep | undefined;
  /** The results whose rows become JSON when they are read. */
  readonly jsonRows: ReadonlyMap<StepPlan, JsonRowsPlan>;
  readonly overlap: OverlapPlan;
  /** Comparisons whose result is certain at their position. */
  readonly settled: ReadonlySet<Expression>;
  /** Values of COALESCE that are never evaluated. */
  readonly unreached: ReadonlySet<Expression>;
  /** Comparisons with a value that is known to be a time. */
  readonly times: ReadonlySet<Expression>;
  /** Responses with a condition in order, then the default; empty for an operation without a response. */
  readonly responses: readonly ResponsePlan[];
}

/** A list that is JSON when it is read. */
export interface JsonRowsPlan {
  /** The response that has it. */
  readonly response: string;
  /** The keys of each element, with the columns that are their values; undefined for the rows as they are. */
  readonly fields: readonly (readonly [key: string, column: string])[] | undefined;
}

export interface ResponsePlan {
  readonly name: string;
  /** Undefined for the default one. */
  readonly condition: Expression | undefined;
  readonly status: number;
  /** Undefined for one without a body. */
  readonly schema: Schema | undefined;
  /** The body that is built from mappings; undefined when the response has a schema or no body. */
  readonly mapped: Body | undefined;
  readonly header: readonly ResponseHeader[];
  readonly content: ContentPlan | undefined;
  readonly fileName: Expression | undefined;
  readonly etag: true | Expression | undefined;
}

/** A header of a response: its value, and the encoders of its placeholders. */
export interface ResponseHeader {
  readonly name: string;
  /** A value that is one placeholder has one part. */
  readonly parts: readonly (string | EncodedValue)[];
}

export interface EncodedValue {
  readonly value: Expression;
  /** The function of the runtime that encodes it for its place; undefined where it is not encoded. */
  readonly encode: 'segment' | 'storedSegment' | 'encode' | 'urlReference' | 'cookieValue' | undefined;
}

/** Content that is not plain JSON. */
export interface ContentPlan {
  readonly type: string;
  readonly kind: ContentKind;
  /** Of a CSV. */
  readonly columns: readonly string[];
  readonly spreadsheet: boolean;
}

/** A timed trigger. */
export interface TriggerPlan {
  readonly trigger: string;
  readonly cron: string;
  readonly timezone: string | undefined;
}

export interface ExceptionPlan {
  readonly condition: Expression;
  readonly statuscode: number;
  readonly message: Template;
  readonly header: readonly ResponseHeader[];
  readonly code: string | undefined;
  readonly schema: Schema | undefined;
}

export interface StepBase {
  readonly fulfillment: string;
  readonly condition: Expression | undefined;
  readonly exceptions: readonly ExceptionPlan[];
  /** Conditions under which the loop around it stops, right after this step ran. */
  readonly loopbreak: readonly Expression[];
  /** The index under which its result is stored; undefined when nothing reads it. */
  readonly index: Expression | undefined;
  /** True when an expression of a later step or a response reads the result. */
  readonly isReadLater: boolean;
  /** True when one of its own exceptions, breaks or its index reads the result. */
  readonly isReadHere: boolean;
}

/** A READ or UPDATE fulfillment. */
export interface DataStep extends StepBase {
  readonly kind: 'data';
  /** The rows of a database, the body of a third-party response, or that body with its status. */
  readonly result: 'rows' | 'body' | 'response';
  /** True where the operation goes on without a usable response. */
  readonly continues: boolean;
  /** Row type, if it is complete. */
  readonly row: RowPlan | undefined;
  /** True where nothing but the first row is read. */
  readonly isFirstRow: boolean;
  /** Set where its result is a page of a list: whether the text for the next one is read, and whether its rows are. */
  readonly page: { readonly isNextRead: boolean; readonly areRowsRead: boolean } | undefined;
  /** Tried from top to bottom; unreachable choices after one without a condition are omitted. */
  readonly choices: readonly ChoicePlan[];
}

/** A LOOP fulfillment. Its name reads the current element; `loopbreak` is checked at the end of each iteration. */
export interface LoopStep extends StepBase {
  readonly kind: 'loop';
  readonly loop: Expression;
  /** True when something inside reads the current element. */
  readonly isElementRead: boolean;
  readonly steps: readonly StepPlan[];
  /** Iterations at a time. */
  readonly concurrency: number;
}

/** A reference call. */
export interface ReferenceStep extends StepBase {
  readonly kind: 'reference';
  readonly called: CalledOperation;
  readonly parameters: readonly { readonly name: string; readonly value: Schema }[];
  /** The parameter `body`. */
  readonly body: Schema | undefined;
  /** True where the operation goes on after its failure: then its result is a status and a body. */
  readonly continues: boolean;
}

/** A call of a user function. */
export interface CodeStep extends StepBase {
  readonly kind: 'code';
  /** The exported function of `src/code/<function>.ts`. */
  readonly function: string;
  readonly input: Schema | undefined;
  /** The schema of its result; undefined without one. */
  readonly returns: ApiSchema | undefined;
  /** The result as handlers read it; undefined without one. */
  readonly result: ReadValue | undefined;
}

export type StepPlan = DataStep | LoopStep | ReferenceStep | CodeStep;

export interface ChoicePlan {
  readonly condition: Expression | undefined;
  readonly action: StatementPlan | RequestPlan;
}

export interface StatementPlan {
  readonly kind: 'statement';
  readonly use: 'READ' | 'UPDATE';
  /** The identifier of its datasource. */
  readonly datasource: DatasourceIdentifier;
  readonly fulfillment: string;
  readonly sql: LoweredSql;
  /** It runs between BEGIN and COMMIT, because it could end the transaction of its context. */
  readonly isEnclosed: boolean;
  /** The table that it changes, or reads first. */
  readonly table: string | undefined;
  /** Its pieces, without a RETURNING that was added. */
  readonly parts: readonly SqlPart[];
  /** The SQL of these parts, with its markers; undefined if lists make the number of markers vary. */
  readonly text: string | undefined;
  /** The SQL that runs it for several elements of the surrounding loop in one query; undefined if it must run separately for each. */
  readonly each: string | undefined;
  /** The part of the request that each binding is from. */
  readonly sources: readonly (Source | undefined)[];
  /** The bindings, by their index, that the database needs in another form. */
  readonly forms: ReadonlyMap<number, BoundForm>;
  /** On MySQL: a SELECT of the columns that its values are written to. */
  readonly written: string | undefined;
  /** On MySQL: a SELECT of the columns that its values are compared with. */
  readonly compared: string | undefined;
  /** Set where a request chooses the order of its rows. */
  readonly list: ListPlan | undefined;
}

/** Facts about an operation that a reference to it needs. */
export interface CalledOperation {
  readonly name: string;
  readonly functionName: string;
  /** The constant with the described responses of its requests. */
  readonly responsesName: string;
  /** Without folder and ending. */
  readonly fileName: string;
  /** The file of the configuration that it is written in, from the folder of the configuration. */
  readonly writtenIn: string;
  /** True when it, or an operation that it calls, reads the request body. */
  readonly readsBody: boolean;
  /** True when it, or an operation that it calls, passes an uploaded file on. */
  readonly readsFiles: boolean;
  /** True when a request with files may start it: PARAM of a file ends the call. */
  readonly receivesFiles: boolean;
  /** True if it, or an operation that it calls, sends requests to third-party APIs or calls user functions, which cannot be undone. */
  readonly hasOtherEffects: boolean;
  /** True when other operations call it. */
  readonly isCalled: boolean;
}

/** A step of one statement; of loops and rows of reads a READ that may run twice or for nothing. */
export interface ReadStep {
  readonly step: DataStep;
  readonly statement: StatementPlan;
}

/** Statements and requests that an operation sends ahead. */
export interface OverlapPlan {
  /** Reads next to each other that need nothing of each other, by the first one. */
  readonly together: ReadonlyMap<StepPlan, readonly ReadStep[]>;
  /** Loops that contain only reads, which depend on the element, on values known before the loop, and on each other's rows. */
  readonly loops: ReadonlyMap<LoopStep, LoopAhead>;
  /** Loops of a transaction whose statements need nothing of each other. */
  readonly sent: ReadonlyMap<LoopStep, LoopSent>;
}

/** A loop whose reads are sent ahead. */
export interface LoopAhead {
  readonly reads: readonly ReadStep[];
  /** True when a read needs rows of one before it, or has a condition. */
  readonly isChain: boolean;
  /** True when a value of its statements reads the element. */
  readonly isElementSent: boolean;
  /** True when something else inside reads the element. */
  readonly isElementRead: boolean;
}

/** A loop of a transaction whose statements are sent for several elements without waiting between them. */
export interface LoopSent {
  readonly statements: readonly ReadStep[];
  /** True when something else inside than their values reads the element. */
  readonly isElementRead: boolean;
}
