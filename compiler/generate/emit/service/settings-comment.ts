/** The doc comment of a datasource or an account: its kind, and the variables that configure it. */
import { doc, type Doc } from '../../code/code.js';

/** Maximum length of a one-line comment without its delimiters. */
const widest = 93;

/** `kind` describes the datasource or account in a few words; variable names consist of capitals, digits and underscores. */
export function settingsComment(kind: string, variables: readonly string[]): Doc {
  const line = variables.length === 0 ? `${kind}.` : `${kind}. Settings: ${variables.join(', ')}.`;
  if (line.length <= widest) return doc(line);
  return doc(`${kind}. Settings:`, ...variables.map((name) => `- ${name}`));
}
