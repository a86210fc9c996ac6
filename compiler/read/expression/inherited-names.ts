/**
 * Names that every object inherits. Property access with a dot would return inherited members, so these names may only be read by functions
 * that check for own properties.
 */
export const inheritedNames: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));
