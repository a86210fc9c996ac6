/** Values of the configuration and the command line with the variables of the environment, as services resolve them. */
import { replaceReferences } from '../../read/config/environment-reference.js';

/** `missing` returns the value of an unset variable without a default. */
export function resolvedReferences(
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
  missing: (variable: string) => string = () => '',
): string {
  return replaceReferences(text, ({ name, fallback }) => environment[name] ?? fallback ?? missing(name));
}
