/** Resolves environment references in values of the configuration and command line, as services do. */
import { replaceReferences } from '../../read/config/environment-reference.js';

/** `missing` returns the value for an unset variable without a default. */
export function resolvedReferences(
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
  missing: (variable: string) => string = () => '',
): string {
  return replaceReferences(text, ({ name, fallback }) => environment[name] ?? fallback ?? missing(name));
}
