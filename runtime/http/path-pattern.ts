/** The segments of a configured path, some of them with parameters (decisions 9.2). */

/**
 * One segment: the constant texts around its parameters, and their names between them.
 * `news` is [['news'], []], `{id}` is [['', ''], ['id']], `{x}-{y}.json` is [['', '-', '.json'], ['x', 'y']].
 */
export interface SegmentPattern {
  readonly constants: readonly string[];
  readonly names: readonly string[];
}

/** The segments of a path that begins with `/`. The compiler has checked it: a path that cannot be served is our own mistake. */
export function parsePath(path: string): SegmentPattern[] {
  if (!path.startsWith('/')) throw new Error(`a path begins with a slash: ${path}`);
  return path.slice(1).split('/').map(parseSegment);
}

function parseSegment(segment: string): SegmentPattern {
  const constants: string[] = [];
  const names: string[] = [];
  let rest = segment;
  for (let open = rest.indexOf('{'); open !== -1; open = rest.indexOf('{')) {
    const close = rest.indexOf('}', open);
    const name = rest.slice(open + 1, close);
    if (close === -1 || name === '') throw new Error(`a parameter is {name}: ${segment}`);
    if (open === 0 && names.length > 0) throw new Error(`two parameters need text between them: ${segment}`);
    constants.push(decodeConstant(rest.slice(0, open)));
    names.push(name);
    rest = rest.slice(close + 1);
  }
  constants.push(decodeConstant(rest));
  return { constants, names };
}

/** Requests are compared decoded, so `/caf%C3%A9` and `/café` in a configuration are the same path. */
function decodeConstant(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * The values of the parameters in a (decoded) segment, or undefined when it does not match.
 * A value is never empty; where a segment can be cut in several ways, the earlier parameters are as short as possible.
 */
export function matchSegment(constants: readonly string[], segment: string): string[] | undefined {
  const prefix = constants[0] ?? '';
  const suffix = constants.at(-1) ?? '';
  const end = segment.length - suffix.length;
  if (!segment.startsWith(prefix) || !segment.endsWith(suffix)) return undefined;

  const values: string[] = [];
  let start = prefix.length;
  for (const constant of constants.slice(1, -1)) {
    const next = segment.indexOf(constant, start + 1);
    if (next === -1) return undefined;
    values.push(segment.slice(start, next));
    start = next + constant.length;
  }
  if (start >= end) return undefined;
  values.push(segment.slice(start, end));
  return values;
}
