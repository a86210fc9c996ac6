/** The doc comment of a datasource or an account: its kind, and the variables that set it. */

const widest = 100;

/** `kind` is what it is in a few words; the names of variables consist of capitals, digits and underscores. */
export function settingsComment(kind: string, variables: readonly string[]): string {
  const line =
    variables.length === 0 ? `/** ${kind}. */` : `/** ${kind}. Settings: ${variables.join(', ')}. */`;
  if (line.length <= widest) return line;
  return ['/**', ` * ${kind}. Settings:`, ...variables.map((name) => ` * - ${name}`), ' */'].join('\n');
}
