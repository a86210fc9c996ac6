/** Finds mapped models in schemas, which may be cyclic. */
import type { ApiSchema } from '../openapi/model.js';
import { shapeOf } from './shape.js';

export class ModelSearch {
  readonly #holders = new Map<ApiSchema, boolean>();

  constructor(private readonly isMapped: (model: string) => boolean) {}

  /** Whether the value that the schema describes is a mapped model, or has one in it at any depth. */
  holdsModel(schema: ApiSchema): boolean {
    const known = this.#holders.get(schema);
    if (known !== undefined) return known;
    const seen = new Set([schema]);
    let found = false;
    for (const inside of seen) {
      found ||= this.#isModel(inside) || this.#holders.get(inside) === true;
      if (found) break;
      for (const part of partsInside(inside)) seen.add(part);
    }
    // Nothing that was seen on the way to nothing holds one either.
    if (found) this.#holders.set(schema, true);
    else for (const inside of seen) this.#holders.set(inside, false);
    return found;
  }

  #isModel(schema: ApiSchema): boolean {
    const shape = shapeOf(schema);
    return shape.kind === 'object' && shape.models.some((name) => this.isMapped(name));
  }
}

function partsInside(schema: ApiSchema): ApiSchema[] {
  const shape = shapeOf(schema);
  if (shape.kind === 'list') return [shape.items];
  return [...shape.properties.values(), ...shape.open.map((open) => open.schema)];
}
