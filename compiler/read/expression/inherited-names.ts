/** Names that every object inherits: behind a dot they read what was never there, so only what looks at own properties may. */
export const inheritedNames: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));
