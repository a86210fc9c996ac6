/**
 * Names that every object inherits. After a dot they would read inherited members, so only functions that check for own properties may read
 * them.
 */
export const inheritedNames: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));
