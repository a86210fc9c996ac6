/** Mutants that do the same as the code: by the beginning of their description, with the reason. */
export const equivalents: readonly string[] = [];
