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
    return wrong("has a '**' beside other characters", 'Write ** between two slashes: operations/**/*.yaml');
  if (segments.at(-1) === '**') return wrong('names folders, not files', `Write ${pattern}/*.yaml`);
  return undefined;
}
