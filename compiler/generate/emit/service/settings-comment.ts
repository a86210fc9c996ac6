/** The doc comment of a datasource or an account: its kind, and the variables that set it. */
import { doc, type Doc } from '../../code/code.js';

/** The characters of one line without its delimiters. */
const widest = 93;

/** `kind` describes the setting in a few words; names of variables consist of capitals, digits and underscores. */
export function settingsComment(kind: string, variables: readonly string[]): Doc {
  const line = variables.length === 0 ? `${kind}.` : `${kind}. Settings: ${variables.join(', ')}.`;
  if (line.length <= widest) return doc(line);
  return doc(`${kind}. Settings:`, ...variables.map((name) => `- ${name}`));
}
