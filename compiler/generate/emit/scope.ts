/** Values in scope at a position of a handler. */
import type { Code, Name } from '../code/code.js';
import type { Expression } from '../plan/model.js';
import type { ReadRequest, ReadValue } from '../plan/requests/request-read.js';
import type { EmittedExpression, RowType } from './module/emitted-expression.js';
import type { Lookups } from './lookups.js';
import type { Module } from './module/module.js';
import { Names } from './module/names.js';
import { noRepeatedReads } from '../plan/requests/repeated-reads.js';
import { RequestReads } from './request-reads.js';

/** A result or element that expressions can read. */
export interface Binding {
  readonly code: Code;
  /** `first`: the first row, or undefined. */
  readonly type: 'rows' | 'first' | 'row' | 'json' | 'number';
  readonly nullable: boolean;
  /** The type of its rows, where all columns are known. */
  readonly row?: RowType | undefined;
  /** Facts about a json value. */
  readonly read?: ReadValue | undefined;
  /** Whether TypeScript knows here that the first row exists, or that it does not. */
  readonly presence?: 'there' | 'missing';
  /** The element of the enclosing loop, whose type is unknown: values that are read from it more than once are constants. */
  readonly isInLoop?: boolean;
  /** The element of a list whose numbers that a double cannot hold are not strings. */
  readonly isExact?: boolean;
  /** The entry whose fields are read by name, where that is not the first one: in bodies that mappings build. */
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
  /** By fulfillment name. */
  readonly results: ReadonlyMap<string, Binding>;
  /** Results that are JSON already, by fulfillment name: a list of them is the variable. */
  readonly jsonRows?: ReadonlySet<string>;
  /** The results that are stored under an index, by fulfillment name. */
  readonly indexes: ReadonlyMap<string, Binding>;
  /** The status of a third-party response, by fulfillment name: null where nothing may have been sent. */
  readonly statuses: ReadonlyMap<string, EmittedExpression>;
  /** The variable of a third-party response, by fulfillment name. */
  readonly responses: ReadonlyMap<string, Name>;
  /** The variable of the text for the next page, by fulfillment name. */
  readonly nexts: ReadonlyMap<string, Name>;
  /** The current element, inside an `item`. */
  readonly element: ElementBinding | undefined;
  /** Results that an `item` looks up by its element. */
  readonly lookups?: Lookups;
  /** Where types of the request are declared. */
  readonly request: ReadRequest | undefined;
  /** Request values that constants read. */
  readonly reads: RequestReads;
  /** Whether NOW is the time of an error outside of calls. */
  readonly isOfError?: boolean;
  /** Comparisons whose result is certain here. */
  readonly settled: ReadonlySet<Expression>;
  /** Values of COALESCE that are never evaluated. */
  readonly unreached: ReadonlySet<Expression>;
  /** Comparisons with a value that is known to be a time. */
  readonly times: ReadonlySet<Expression>;
}

/** The scope of expressions that belong to no operation. */
export function emptyScope(module: Module): Scope {
  const names = new Names([], undefined);
  return {
    module,
    names,
    results: new Map(),
    indexes: new Map(),
    statuses: new Map(),
    responses: new Map(),
    nexts: new Map(),
    element: undefined,
    request: undefined,
    reads: new RequestReads(noRepeatedReads, names),
    settled: new Set(),
    unreached: new Set(),
    times: new Set(),
  };
}
