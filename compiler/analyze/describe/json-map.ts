/** A JSON object as it is printed: keys in this order. */
export type JsonMap = Readonly<Record<string, unknown>>;
