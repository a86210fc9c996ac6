/** What is known of a value before the service runs: the kinds of JSON that it can be, and more where more is certain. */

export type Kind = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

export interface ValueType {
  /** Every kind that the value can have; all of them where nothing is known. Without null it is never null. */
  readonly kinds: ReadonlySet<Kind>;
  /** The value, where it is always the same. */
  readonly constant?: string | number | boolean | null;
  /** Where its numbers are whole: the smallest that they can be. */
  readonly wholeFrom?: number;
  /** Of an array: what is known of its elements. */
  readonly element?: ValueType;
  /** True for the rows of a database statement, which are objects and never null. */
  readonly isRows?: true;
}

function of(...kinds: Kind[]): ValueType {
  return { kinds: new Set(kinds) };
}

/** Any JSON value: parameters, bodies, columns, what third parties send. */
export const unknownValue: ValueType = of('null', 'boolean', 'number', 'string', 'array', 'object');
export const nullValue: ValueType = { ...of('null'), constant: null };
export const booleanValue: ValueType = of('boolean');
export const row: ValueType = of('object');
/** The result of a database statement. */
export const rows: ValueType = { ...of('array'), element: row, isRows: true };
/** SIZE, and the elements of LIST: 0, 1, 2 … */
export const count: ValueType = { ...of('number'), wholeFrom: 0 };
/** STATUS: null where nothing was sent. */
export const status: ValueType = { ...of('null', 'number'), wholeFrom: 100 };

export function constantOf(constant: string | number | boolean): ValueType {
  const kind = typeof constant;
  return { kinds: new Set([kind === 'string' || kind === 'number' ? kind : 'boolean']), constant };
}

export function arrayOf(element: ValueType): ValueType {
  return { ...of('array'), element };
}

export function orNull(type: ValueType): ValueType {
  return type.kinds.has('null') ? type : withKinds(type, ['null']);
}

/** Values of either type. */
export function either(one: ValueType, other: ValueType): ValueType {
  if (one === other) return one;
  return of(...one.kinds, ...other.kinds);
}

function withKinds(type: ValueType, kinds: readonly Kind[]): ValueType {
  return {
    kinds: new Set([...type.kinds, ...kinds]),
    ...(type.wholeFrom === undefined ? {} : { wholeFrom: type.wholeFrom }),
    ...(type.element === undefined ? {} : { element: type.element }),
    ...(type.isRows === undefined ? {} : { isRows: type.isRows }),
  };
}

/** Whether `==` can hold between values of the two types (decisions 4.1). */
export function canEqual(left: ValueType, right: ValueType): boolean {
  return [...left.kinds].some((kind) => {
    if (right.kinds.has(kind)) return true;
    if (kind === 'string') return right.kinds.has('number') || right.kinds.has('boolean');
    return (kind === 'number' || kind === 'boolean') && right.kinds.has('string');
  });
}

/** Whether `<` or `>` can hold between values of the two types (decisions 4.2). */
export function canOrder(left: ValueType, right: ValueType): boolean {
  const hasOrder = ({ kinds }: ValueType): boolean => kinds.has('number') || kinds.has('string');
  return hasOrder(left) && hasOrder(right);
}
