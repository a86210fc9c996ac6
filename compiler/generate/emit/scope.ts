/** Values in scope at a position of a handler. */
import type { Code, Name } from '../code/code.js';
import type { Body, Digits, Expression, PageFact, Schema } from '../plan/model.js';
import type { ReadRequest, ReadValue } from '../plan/requests/request-read.js';
import type { EmittedExpression, RowType } from './module/emitted-expression.js';
import type { Lookups } from './lookups.js';
import type { Module } from './module/module.js';
import { Names } from './module/names.js';
import { noRepeatedReads } from '../plan/requests/repeated-reads.js';
import { RequestReads } from './request-reads.js';

/** A variable with a fact about a page; `nullable`: the list may not have been read. */
export interface PagingVariable {
  readonly code: Name;
  readonly nullable: boolean;
}

/** A result or element that expressions can read. */
export interface Binding {
  readonly code: Code;
  /** `first` is the first row or undefined. */
  readonly type: 'rows' | 'first' | 'row' | 'json' | 'number';
  readonly nullable: boolean;
  /** The type of the rows, if all columns are known. */
  readonly row?: RowType | undefined;
  /** Facts about a json value. */
  readonly read?: ReadValue | undefined;
  /** Whether TypeScript knows here that the first row exists or that it does not. */
  readonly presence?: 'there' | 'missing';
  /** Whether this is a computed value, whose type is declared in the handler. */
  readonly isComputed?: boolean;
  /** Whether this is the element of the enclosing loop, of unknown type: values read more than once become constants. */
  readonly isInLoop?: boolean;
  /** Whether this is the element of a list of the request. */
  readonly isOfRequest?: boolean;
  /** Whether numbers that do not fit a double are kept exactly, not as strings. */
  readonly isExact?: boolean;
  /** The row whose fields are read by name, if not the first row: in bodies built from mappings. */
  readonly entry?: EmittedExpression;
}

/** The element of a list or loop. */
export interface ElementBinding extends Binding {
  readonly code: Name;
}

/** Values that expressions at a position of the handler can read. */
export interface Scope {
  readonly module: Module;
  readonly names: Names;
  /** Results by fulfillment name. */
  readonly results: ReadonlyMap<string, Binding>;
  /** Results that are already JSON, by fulfillment name: a list of these rows is the variable itself. */
  readonly jsonRows?: ReadonlySet<string>;
  /** Results stored under an index, by fulfillment name. */
  readonly indexes: ReadonlyMap<string, Binding>;
  /** The variables of the statuses and failures that are stored under an index, by fulfillment name. */
  readonly outcomes: Readonly<Record<'status' | 'failure', ReadonlyMap<string, Name>>>;
  /** The status of a third-party response, by fulfillment name: null if the request may not have been sent. */
  readonly statuses: ReadonlyMap<string, EmittedExpression>;
  /** Variables of third-party responses, by fulfillment name. */
  readonly responses: ReadonlyMap<string, Name>;
  /** Variables of next-page tokens, by fulfillment name. */
  readonly nexts: ReadonlyMap<string, Name>;
  /** Variables of other facts about pages, by fulfillment name. */
  readonly paging: ReadonlyMap<string, ReadonlyMap<PageFact, PagingVariable>>;
  /** The current element, inside an `item`. */
  readonly element: ElementBinding | undefined;
  /** Results that an `item` looks up by its element. */
  readonly lookups?: Lookups;
  /** The identifiers of authentications that issue tokens, by name. */
  readonly authentications: ReadonlyMap<string, string>;
  /** The types of the results of user functions that expressions call, by name. */
  readonly functions: ReadonlyMap<string, ReadValue>;
  /** The declared types of the request. */
  readonly request: ReadRequest | undefined;
  /** Request values stored in constants. */
  readonly reads: RequestReads;
  /** Whether the expression is in an error body, where NOW() is the time of the error. */
  readonly isOfError?: boolean;
  /** Comparisons whose result is known here. */
  readonly settled: ReadonlySet<Expression>;
  /** COALESCE arguments that are never evaluated. */
  readonly unreached: ReadonlySet<Expression>;
  /** Comparisons with a value known to be a time. */
  readonly times: ReadonlySet<Expression>;
  /** Leaves of schemas, and parts of mapped bodies, whose numbers are sent as strings. */
  readonly digits: ReadonlyMap<Schema | Body, Digits>;
}

/** The scope of expressions outside of operations. */
export function emptyScope(module: Module): Scope {
  const names = new Names([], undefined);
  return {
    module,
    names,
    results: new Map(),
    indexes: new Map(),
    outcomes: { status: new Map(), failure: new Map() },
    statuses: new Map(),
    responses: new Map(),
    nexts: new Map(),
    paging: new Map(),
    authentications: new Map(),
    functions: new Map(),
    element: undefined,
    request: undefined,
    reads: new RequestReads(noRepeatedReads, names),
    settled: new Set(),
    unreached: new Set(),
    times: new Set(),
    digits: new Map(),
  };
}
