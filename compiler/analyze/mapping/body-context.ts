/** The surroundings of an object of a body: the objects around it, and facts about the whole operation. */
import type { Mapping, Operation } from '../../read/config/config-model.js';
import type { Sink } from '../../read/diagnostics/finding.js';
import type { Span } from '../../read/source.js';
import type { RowFinder } from './row-finder.js';
import type { Level } from './object-level.js';
import type { Subject } from './shape.js';
import type { Join } from './written-joins.js';

/** Facts that all bodies of an operation share. */
export interface BodyScope {
  readonly operation: Operation;
  /** By the name of the model in its schema. */
  readonly mappings: ReadonlyMap<string, Mapping>;
  readonly joins: readonly Join[];
  /** The names of the fulfillments. */
  readonly names: ReadonlySet<string>;
  readonly rows: RowFinder;
  readonly report: Sink;
}

/** Objects that are being built around a position of the body. */
export interface BodyContext {
  /** Sources of the objects around, the innermost first. */
  readonly levels: readonly Level[];
  /** The object for which an enclosing item uses the innermost rows. */
  readonly owner: Subject | undefined;
  /** How many models without a mapping may still be built around mapped ones. */
  readonly wrappers: number;
  /** The models and other objects that are being built, the outermost first. */
  readonly subjects: readonly Subject[];
  /** The mapping, or the schema without one, that the position belongs to. */
  readonly span: Span;
}

/** The model of an object and that of the object around it; undefined for those without a name. */
export type Models = readonly [string | undefined, string | undefined];

/** The name of a model; undefined for an object without one. */
export function modelName(subject: Subject | undefined): string | undefined {
  return typeof subject === 'string' ? subject : undefined;
}

/** Whether the object is built from rows of the fulfillment. */
export function isBuiltFrom({ first, others, kept }: Level, name: string): boolean {
  return [first, ...others, ...kept].some(({ row }) => row.fulfillment === name);
}
