/** Splits a one-file configuration into several files with the same operations in the same order. */
import type { FindIncluded } from '../../compiler/read/config/include/included-files.js';

export interface SplitConfiguration {
  readonly config: string;
  /** The texts of included files, by name. */
  readonly files: ReadonlyMap<string, string>;
}

/** The lines of the operations in a file, and the surrounding lines. */
interface Divided {
  readonly before: string;
  readonly operations: readonly string[];
  readonly after: string;
}

/**
 * The first `kept` operations stay; each further file has `size` operations. Undefined if the operations cannot be separated by lines
 * because of flow style, anchors, or a repeated section.
 */
export function splitConfiguration(text: string, kept: number, size: number): SplitConfiguration | undefined {
  const divided = divide(text);
  if (divided === undefined) return undefined;
  const { before, operations, after } = divided;
  const moved = operations.slice(kept);
  if (moved.length === 0) return undefined;
  const files = new Map<string, string>();
  for (let at = 0; at < moved.length; at += size)
    files.set(`operations/${String(at).padStart(4, '0')}.yaml`, moved.slice(at, at + size).join(''));
  const own = operations.slice(0, kept).map(indented).join('');
  const head = before.slice(0, before.lastIndexOf('operations:'));
  return {
    config: `${head}include: [operations/*.yaml]\n${own === '' ? '' : `operations:\n${own}`}${after}`,
    files,
  };
}

/** Finds the files of a split configuration. */
export function findIn(files: ReadonlyMap<string, string>): FindIncluded {
  return () => [...files].map(([name, text]) => ({ name, id: name, read: () => ({ path: name, text }) }));
}

/** Removes the indentation of the operations. */
function divide(text: string): Divided | undefined {
  const [head, other] = [...text.matchAll(/^operations:[ \t]*(?:#.*)?\n/gm)];
  if (head === undefined || other !== undefined || /(?:^|[\s[{])[&*][\w-]|^[ \t]*<<\s*:|^---|^%/m.test(text))
    return undefined;
  const begin = head.index + head[0].length;
  const rest = text.slice(begin);
  const next = /^[^\s#]/m.exec(rest)?.index ?? rest.length;
  const section = rest.slice(0, next);
  const indent = /^( +)[^\s#]/m.exec(section)?.[1];
  if (indent === undefined) return undefined;
  const lines = section.split(/(?<=\n)/);
  if (lines.some((line) => line.trim() !== '' && !line.startsWith(indent))) return undefined;
  const operations: string[] = [];
  let open = '';
  for (const line of lines) {
    const own = line.slice(Math.min(indent.length, line.length - line.trimStart().length));
    if (/^[^\s#]/.test(own) && /^[^\s#]/m.test(open)) {
      operations.push(open);
      open = '';
    }
    open += line.trim() === '' ? line : own;
  }
  return { before: text.slice(0, begin), operations: [...operations, open], after: rest.slice(next) };
}

function indented(operation: string): string {
  return operation.replaceAll(/^(?=.*\S)/gm, '  ');
}
