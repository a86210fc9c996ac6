/** Paths into JSON values, as printed for differences and used by `keep`: `$.items[2].name`. */

/** The keys and indexes of a path; undefined if the path is invalid. */
export function parsePath(text: string): (string | number)[] | undefined {
  if (!text.startsWith('$')) return undefined;
  const steps: (string | number)[] = [];
  const step = /\.([^.[\]\s]+)|\[(-?\d+)\]|\['([^']*)'\]/y;
  step.lastIndex = 1;
  while (step.lastIndex < text.length) {
    const [all, name, index, quoted] = step.exec(text) ?? [];
    if (all === undefined) return undefined;
    steps.push(index === undefined ? (name ?? quoted ?? '') : Number(index));
  }
  return steps;
}

/** The value at the path; undefined if there is none. */
export function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((current, step) => {
    if (typeof step === 'number') return Array.isArray(current) ? (current as unknown[]).at(step) : undefined;
    const isObject = typeof current === 'object' && current !== null && Object.hasOwn(current, step);
    return isObject ? (current as Record<string, unknown>)[step] : undefined;
  }, value);
}

/** Appends a field or index to a path. */
export function below(path: string, step: string | number): string {
  if (typeof step === 'number') return `${path}[${step}]`;
  return /^[\w$-]+$/.test(step) ? `${path}.${step}` : `${path}['${step}']`;
}
