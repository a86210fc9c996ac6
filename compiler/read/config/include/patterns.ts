/** Reads the patterns of `include`. */
import type { Report } from '../../diagnostics/report.js';
import type { Fields } from '../fields.js';
import { isBroken, isEmpty, type ScalarNode } from '../yaml/node.js';

/** The valid patterns of a configuration, in order. */
export function readPatterns(fields: Fields, report: Report): ScalarNode[] {
  const node = fields.node('include');
  const list = fields.list('include');
  fields.requireItems('include');
  // A single pattern without brackets has been reported, but is read.
  const items = list?.items ?? (node?.kind === 'scalar' && !isEmpty(node) ? [node] : []);
  return items.flatMap((item) => {
    if (isBroken(item)) return [];
    if (item.kind !== 'scalar' || isEmpty(item)) {
      report.add('wrong-kind', item.span, {
        ...{ what: "An item of 'include'", expected: 'a string', example: '- operations/*.yaml' },
      });
      return [];
    }
    const wrong = problemOf(item.text.value);
    if (wrong === undefined) return [item];
    report.add('wrong-include', item.span, wrong);
    return [];
  });
}

/** Removes the leading `./`: `./operations/*.yaml` → `operations/*.yaml`. */
export function withoutDot(pattern: string): string {
  return pattern.replace(/^(?:\.\/)+/, '');
}

const example = 'Write the path of a file, or a pattern such as operations/*.yaml.';

/** Explains why the pattern cannot match any file. */
function problemOf(pattern: string): { problem: string; hint: string } | undefined {
  const wrong = (problem: string, hint: string): { problem: string; hint: string } => ({
    problem: `'${pattern}' ${problem}`,
    hint,
  });
  if (pattern.trim() === '') return { problem: 'Empty pattern', hint: example };
  if (pattern.includes('\\'))
    return wrong("has a '\\'", 'Folders are separated by / on every system, and no character is escaped.');
  if (/^(?:\/|~|[A-Za-z]:|\w+:\/\/)/.test(pattern))
    return wrong('is not a path from the folder of the configuration', example);
  const segments = withoutDot(pattern).split('/');
  if (segments.includes('..'))
    return wrong(
      'leads out of the folder of the configuration',
      'Included files are in the folder of the configuration or in folders below it.',
    );
  if (segments.some((segment) => segment === '' || segment === '.'))
    return wrong('is not the path of a file', example);
  if (segments.some((segment) => segment.startsWith('.')))
    return wrong(
      'names a hidden file',
      'Names that begin with a dot are never included. Give the file another name.',
    );
  const [special] = /[[\]{}!]|[*+?@](?=\()/.exec(pattern) ?? [];
  if (special !== undefined)
    return wrong(
      `has a '${special}'`,
      'A pattern may have * and ? in a name, and ** for folders at any depth. Write two patterns, or the names of the files.',
    );
  if (segments.some((segment) => segment !== '**' && segment.includes('**')))
    return wrong("has a '**' next to other characters", 'Write ** between two slashes: operations/**/*.yaml');
  if (segments.at(-1) === '**') return wrong('names folders, not files', `Write ${pattern}/*.yaml`);
  return undefined;
}

/** Whether a valid pattern matches a path, whose names are separated by slashes. No pattern matches a hidden name. */
export function matchesPath(pattern: string, path: string): boolean {
  const [wanted, names] = [pattern, path].map((text) => text.normalize('NFC').split('/'));
  const matches = (at: number, index: number): boolean => {
    const [segment, name] = [wanted?.[index], names?.[at]];
    if (segment === undefined || name === undefined) return segment === name;
    if (name.startsWith('.')) return false;
    if (segment !== '**') return matchesName(segment, name) && matches(at + 1, index + 1);
    return matches(at, index + 1) || (name !== 'node_modules' && matches(at + 1, index));
  };
  return matches(0, 0);
}

/** Whether a pattern without slashes matches the whole name. */
export function matchesName(pattern: string, name: string): boolean {
  const [wanted, written] = [Array.from(pattern), Array.from(name)];
  let at = 0;
  let index = 0;
  /** Pattern index after the last `*`, and the end of its current match in the name. */
  let star: { readonly behind: number; end: number } | undefined;
  while (at < written.length) {
    if (wanted[index] === '*') {
      star = { behind: index + 1, end: at };
      index += 1;
    } else if (wanted[index] === '?' || (index < wanted.length && wanted[index] === written[at])) {
      index += 1;
      at += 1;
    } else if (star !== undefined) {
      star.end += 1;
      at = star.end;
      index = star.behind;
    } else return false;
  }
  return wanted.slice(index).every((character) => character === '*');
}
