/** References to variables of the environment in values of the configuration and the command line, as services resolve them. */

/** `${NAME}`, `${NAME:default}` and `${NAME:-default}`; `missing` returns the value of a variable that is not set and has no default. */
export function resolvedReferences(
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
  missing: (variable: string) => string = () => '',
): string {
  return text.replaceAll(
    /\$\{([A-Za-z_]\w{0,99})(?::-?([^{}]{0,999}))?\}/g,
    (_, variable: string, fallback?: string) => environment[variable] ?? fallback ?? missing(variable),
  );
}
