/** The context of an object in a response body: the surrounding objects, and facts about the whole operation. */
import type { Mapping, Operation } from '../../read/config/config-model.js';
import type { Sink } from '../../read/diagnostics/finding.js';
import type { Span } from '../../read/source.js';
import type { RowFinder } from './row-finder.js';
import type { Level } from './object-level.js';
import type { Subject } from './shape.js';
import type { Join } from './written-joins.js';

/** Facts shared by all bodies of an operation. */
export interface BodyScope {
  readonly operation: Operation;
  /** Mappings by the model name in the schema. */
  readonly mappings: ReadonlyMap<string, Mapping>;
  readonly joins: readonly Join[];
  /** The names of all fulfillments. */
  readonly names: ReadonlySet<string>;
  readonly rows: RowFinder;
  readonly report: Sink;
}

/** The objects being built around a position in the body. */
export interface BodyContext {
  /** Sources of the surrounding objects, innermost first. */
  readonly levels: readonly Level[];
  /** The nested object that uses the rows of an enclosing list item. */
  readonly owner: Subject | undefined;
  /** The number of unmapped models that may still be built around mapped ones. */
  readonly wrappers: number;
  /** The models and other objects being built, outermost first. */
  readonly subjects: readonly Subject[];
  /** The span of the mapping; without a mapping, that of the schema. */
  readonly span: Span;
}

/** The models of an object and of the surrounding object; undefined for objects without a model. */
export type Models = readonly [string | undefined, string | undefined];

/** The name of a model; undefined for an object without a model. */
export function modelName(subject: Subject | undefined): string | undefined {
  return typeof subject === 'string' ? subject : undefined;
}

/** Whether the object is built from rows of the fulfillment. */
export function isBuiltFrom({ first, others, kept }: Level, name: string): boolean {
  return [first, ...others, ...kept].some(({ row }) => row.fulfillment === name);
}
