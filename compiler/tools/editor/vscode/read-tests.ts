/** Names and positions of the tests in a test file, and the results of `apikiln test --format json`. */

/** A test in a file. */
export interface NamedTest {
  readonly name: string;
  /** Zero-based. */
  readonly line: number;
}

/**
 * The tests of a file in block style, read line by line, so that a file with errors keeps its tests. A name over several lines is ignored.
 */
export function testsIn(text: string): NamedTest[] {
  const lines = text.split(/\r?\n/);
  const start = lines.findIndex((line) => /^tests:\s*(?:#.*)?$/.test(line));
  if (start < 0) return [];
  const found: NamedTest[] = [];
  let indentation: string | undefined;
  for (const [line, content] of lines.entries()) {
    if (line <= start) continue;
    if (/^[^\s#-]/.test(content)) break;
    const [, before = '', , name] = /^(\s*)-(\s+)name:\s+(.+?)\s*$/.exec(content) ?? [];
    if (name === undefined) continue;
    indentation ??= before;
    if (before === indentation) found.push({ name: scalar(name), line });
  }
  return found;
}

/** The value of a plain or quoted scalar. */
function scalar(text: string): string {
  const [, single] = /^'((?:[^']|'')*)'/.exec(text) ?? [];
  if (single !== undefined) return single.replaceAll("''", "'");
  const [double] = /^"(?:[^"\\]|\\.)*"/.exec(text) ?? [];
  if (double !== undefined) return doubleQuoted(double);
  return text.replace(/(?<!\s)\s+#.*$/, '');
}

/** Escapes of YAML that JSON does not have are left as they are written. */
function doubleQuoted(text: string): string {
  try {
    return JSON.parse(text) as string;
  } catch {
    return text.slice(1, -1);
  }
}

/** A result of the command. */
export interface Result {
  readonly name: string;
  /** The test file, relative to the folder in which the command ran. */
  readonly file: string;
  readonly status: 'passed' | 'failed';
  readonly milliseconds: number;
  readonly failures: readonly Failure[];
}

export interface Failure {
  readonly message: string;
  readonly step?: string;
  readonly path?: string;
  /** One-based. */
  readonly line: number;
  readonly column: number;
}

/** Undefined if the command did not print results, such as after an error in the configuration. */
export function resultsIn(output: string): readonly Result[] | undefined {
  try {
    return (JSON.parse(output) as { readonly tests?: readonly Result[] }).tests;
  } catch {
    return undefined;
  }
}
