/** The operations in included files. */
import type { Report } from '../../diagnostics/report.js';
import { spanBeside, type Source, type Span } from '../../source.js';
import { fieldTable } from '../field-table.js';
import type { Budget } from '../yaml/budget.js';
import { isEmpty, type Entry, type MapNode, type Node } from '../yaml/node.js';
import { readNodes } from '../yaml/yaml-document.js';

/** The YAML entries of an included file's operations. */
export function readIncluded(source: Source, budget: Budget, report: Report): readonly Entry[] {
  const root = readNodes(source, report, budget);
  return root === undefined ? [] : entriesOfIncluded(root, source, report);
}

/** The operations at the root of an included file. Reports everything else. */
export function entriesOfIncluded(root: Node, source: Source, report: Report): readonly Entry[] {
  if (root.kind !== 'map') {
    const isNothing = root.kind === 'scalar' && isEmpty(root);
    report.add('not-operations', isNothing ? { source, start: 0, end: 0 } : firstLine(root.span), {
      problem: isNothing ? 'this one is empty' : `this one is a ${root.kind === 'list' ? 'list' : 'string'}`,
      hint: isNothing ? `${howToWrite} Or remove the file.` : howToWrite,
    });
    return [];
  }
  const foreign = root.entries.find(({ key, value }) => isForeign(key.text.value, value));
  if (foreign !== undefined) {
    const isTests = foreign.key.text.value === 'tests';
    report.add('not-operations', foreign.key.span, {
      problem: isTests ? 'this one holds tests' : 'this one is an API description',
      hint: `Write a pattern that does not match it, such as operations/*.yaml.`,
    });
    return [];
  }
  if (root.entries.length === 0 && root.isIncomplete !== true)
    report.add('not-operations', root.span, { problem: 'this one is empty', hint: howToWrite });
  return root.entries.flatMap((entry) => {
    const section = entry.key.text.value;
    if (!isSection(section, entry.value)) return [entry];
    reportSection(entry, source, report);
    // Read operations nested under an unnecessary `operations:` key.
    return section === 'operations' && entry.value.kind === 'map' ? entry.value.entries : [];
  });
}

const howToWrite =
  "Write operations as below 'operations' of the configuration, with their names at the beginning of lines.";

/** Whether the key shows that the file is of a different kind, such as an API description. */
function isForeign(key: string, value: Node): boolean {
  if (key === 'openapi' || key === 'swagger') return value.kind === 'scalar';
  return key === 'tests' && value.kind === 'list';
}

/** Whether the key is a section of the configuration. An operation can have the same name. */
function isSection(name: string, value: Node): boolean {
  const sections = Object.keys(fieldTable.configuration);
  return sections.includes(name) && !(value.kind === 'map' && looksLikeOperation(value));
}

function looksLikeOperation({ entries }: MapNode): boolean {
  const fields = Object.keys(fieldTable.operation);
  return entries.some(({ key }) => fields.includes(key.text.value));
}

function reportSection({ key, value }: Entry, source: Source, report: Report): void {
  const section = key.text.value;
  const hints: Readonly<Record<string, string>> = {
    specification: 'Remove the line: the version is that of the configuration.',
    include: `Move the pattern to 'include' of the configuration${patternsFrom(value, source)}. An included file includes none.`,
    operations: "Write the operations without 'operations:' above them, at the beginning of their lines.",
  };
  report.add('not-operations', key.span, {
    problem: `'${section}' belongs to the configuration`,
    hint: hints[section] ?? `Move '${section}' to the configuration.`,
  });
}

/** The patterns as they must be written in the configuration, relative to its folder. */
function patternsFrom(value: Node, { includedAs = '' }: Source): string {
  const items = value.kind === 'list' ? value.items : [value];
  const patterns = items.flatMap((item) => (item.kind === 'scalar' && !isEmpty(item) ? item.text.value : []));
  const folder = includedAs.slice(0, includedAs.lastIndexOf('/') + 1);
  const [first] = patterns;
  return first === undefined || patterns.length > 1 ? '' : `, as ${folder}${first.replace(/^\.\//, '')}`;
}

/** The first line of the span, without trailing white space. */
function firstLine(span: Span): Span {
  const [line = ''] = /^.*/.exec(span.source.text.slice(span.start, span.start + 1000)) ?? [];
  return spanBeside(span, span.start, span.start + line.trimEnd().length);
}

/** Reports operation names that already occur in the configuration or in an earlier file. */
export function reportRepeated(parts: readonly (readonly Entry[])[], report: Report): void {
  const seen = new Map<string, Span>();
  for (const entries of parts) {
    const own = new Map<string, Span>();
    for (const { key, value } of entries) {
      const first = seen.get(key.text.value);
      if (first !== undefined)
        report.add('duplicate-key', key.span, {
          ...{ key: key.text.value, first, here: key.span },
          ...{ holdsMaps: value.kind === 'map', isField: false },
        });
      else if (!own.has(key.text.value)) own.set(key.text.value, key.span);
    }
    for (const [name, span] of own) seen.set(name, span);
  }
}
