/** References to variables of the environment in values of the configuration, as services resolve them. */

/** `${NAME}`, `${NAME:default}` and `${NAME:-default}`; empty where nothing tells. */
export function resolvedReferences(
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  return text.replaceAll(
    /\$\{([A-Za-z_]\w{0,99})(?::-?([^{}]{0,999}))?\}/g,
    (_, variable: string, fallback?: string) => environment[variable] ?? fallback ?? '',
  );
}
