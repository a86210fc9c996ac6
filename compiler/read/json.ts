/** JSON objects, with keys in output order. */
export type JsonMap = Readonly<Record<string, unknown>>;

export function isJsonMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
