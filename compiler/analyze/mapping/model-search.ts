/** Finds mapped models in schemas. */
import type { ApiSchema } from '../../read/openapi/api-model.js';
import { shapeOf, type ObjectShape } from './shape.js';

export class ModelSearch {
  /** Results by schema and number of wrappers; false while a schema is being searched, so that recursion ends. */
  readonly #known = new Map<ApiSchema, Map<number, boolean>>();

  constructor(private readonly isMapped: (model: string) => boolean) {}

  /**
   * Whether the value described by the schema is or contains a mapped model, looking into lists, objects that are not models, and at most
   * `wrappers` nested unmapped models.
   */
  holdsModel(schema: ApiSchema, wrappers: number): boolean {
    const known = this.#known.get(schema) ?? new Map<number, boolean>();
    this.#known.set(schema, known);
    const found = known.get(wrappers);
    if (found !== undefined) return found;
    known.set(wrappers, false);
    const holds = this.#search(schema, wrappers);
    known.set(wrappers, holds);
    return holds;
  }

  /** The number of unmapped models allowed inside this one. */
  wrappersInside({ models }: ObjectShape, wrappers: number): number {
    if (models.some((name) => this.isMapped(name))) return 0;
    return models.length === 0 ? wrappers : wrappers - 1;
  }

  #search(schema: ApiSchema, wrappers: number): boolean {
    const shape = shapeOf(schema);
    if (shape.kind === 'list') return this.holdsModel(shape.items, wrappers);
    if (shape.models.some((name) => this.isMapped(name))) return true;
    const inside = this.wrappersInside(shape, wrappers);
    if (inside < 0) return false;
    const schemas = [...shape.properties.values(), ...shape.open.map((open) => open.schema)];
    return schemas.some((property) => this.holdsModel(property, inside));
  }
}
