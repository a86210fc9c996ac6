/** A change of a value's shape, and what it means for clients. */

/** A change at a path of a value, such as `body.title`. */
export interface ShapeChange {
  readonly isBreaking: boolean;
  readonly text: string;
}

/** Clients may stumble over it. */
export function breaking(text: string): ShapeChange {
  return { isBreaking: true, text };
}

/** No client that follows the old contract notices. */
export function fine(text: string): ShapeChange {
  return { isBreaking: false, text };
}
