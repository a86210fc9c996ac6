/** Codes of diagnostics are public: when one is renamed, its old name works here for one version. */

/** Old name to new name. */
export const renamedCodes: ReadonlyMap<string, string> = new Map();

/** The name that a code has now. */
export function currentCode(code: string): string {
  return renamedCodes.get(code) ?? code;
}
