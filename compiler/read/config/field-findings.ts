/** Reports errors in the fields of a resource: unknown, missing and empty fields, and wrong kinds of values. */
import { listed } from '../diagnostics/quoted-list.js';
import type { Report } from '../diagnostics/report.js';
import type { Span } from '../source.js';
import type { Edit } from '../diagnostics/fix.js';
import { asList, asOneItem, asParameter, asQuery, intoList } from './list-form.js';
import { isEmpty, type Entry, type MapNode, type Node, type ScalarNode } from './yaml/node.js';
import type { FieldTable } from './field-table.js';
import { meantField, resourcesWith } from './meant-fields.js';
import { inSentence } from './resource-map.js';
import { asInteger, asMap, withoutBrackets } from './value-form.js';
import { wordSet } from '../wordset.js';

/** The resource that contains the fields. */
export interface FieldContext {
  /** The resource in user terms, with its name if any: `Fulfillment 'news'`. */
  readonly resource: string;
  readonly table: FieldTable;
  readonly map: MapNode;
  /** The key of the resource, if any. */
  readonly key: ScalarNode | undefined;
  readonly report: Report;
  /** Better examples than those in the field table. */
  readonly examples: Readonly<Record<string, string | undefined>>;
}

/** Fields that are required wherever they are allowed, or essential to their resource: messages must not suggest removing them. */
const neverOptional: ReadonlySet<string> = wordSet(`
  type query fulfillments responses instructions queries loop operationName cron
`);

/** Reports a field that does not exist; returns the one that was probably meant. */
export function reportStrange(
  entry: Entry,
  fields: readonly string[],
  context: FieldContext,
): string | undefined {
  const { resource, map, report } = context;
  const field = entry.key.text.value;
  const meant = meantField(field, fields);
  // A timer in the syntax of another tool, whose inner fields also have other names.
  const isTimer = meant === 'triggers' && entry.value.kind !== 'list';
  // Do not suggest a field that the map already has.
  const present = map.entries.find(({ key }) => key.text.value === meant)?.key;
  const isMany =
    meant !== undefined && present === undefined && !isTimer && isOneOfMany(entry, meant, context.table);
  report.add('unknown-field', entry.key.span, {
    resource,
    field,
    nearest: present === undefined && !isTimer ? meant : undefined,
    present: present?.span,
    twin: present === undefined ? undefined : meant,
    owners: resourcesWith(field),
    known: fields,
    ...(meant === undefined && { edits: intoList(entry, fields) }),
    ...(isMany && manyOf(entry, meant, context)),
    isTimer,
  });
  if (isTimer) report.ignoreInside([entry.value.span]);
  return meant;
}

/**
 * Whether a single value is written under the singular of a list field, as in `secret: …` for `secrets: […]`. Then the kind of the value is
 * part of the same error. `field` is the intended field.
 */
export function isOneOfMany({ key, value }: Entry, field: string, table: FieldTable): boolean {
  const name = key.text.value.toLowerCase();
  const many = field.toLowerCase();
  if (many !== `${name}s` && (many === name || many !== name.replace(/y$/, 'ies'))) return false;
  const [bracket] = table[field]?.example ?? '';
  return (
    !isEmpty(value) &&
    ((bracket === '[' && value.kind !== 'list') || (bracket === '{' && value.kind !== 'map'))
  );
}

/** The suggestion for such a field; without edits if the correct value is uncertain. */
function manyOf(
  { key, value }: Entry,
  field: string,
  { table }: FieldContext,
): { readonly many: string; readonly edits: readonly Edit[] } {
  const { example = '' } = table[field] ?? {};
  const { start, end } = key.span;
  const list = asList(value, field);
  // Entries added by an alias are located elsewhere.
  const isCertain = example.startsWith('[') && value.span.start > end && list?.isSafe !== false;
  const edits = isCertain ? (list?.edits ?? asOneItem(value)) : [];
  return {
    many: `${field}: ${example}`,
    edits: edits.length === 0 ? [] : [{ start, end, text: field }, ...edits],
  };
}

/** Reports missing required fields, at the resource's key or at its first field. */
export function reportMissing(missing: readonly string[], context: FieldContext): void {
  const { resource, map, report } = context;
  report.add('missing-field', ownSpan(context), {
    resource,
    fields: missing,
    example: linesInText(
      missing
        .map((field) => exampleOf(field, context) ?? field)
        .map((one) => (isFlow(map) ? one.replace(/: (\$\{.*\})$/, ": '$1'") : one)),
    ),
    edits: missing.length === 1 && missing[0] === 'default' ? defaultOf(context) : [],
  });
}

/** `default: false` before the `if` of a response: only the value for a response with a condition is certain. */
function defaultOf({ map, examples }: FieldContext): readonly Edit[] {
  const { span } = map.entries.find(({ key }) => key.text.value === 'if')?.key ?? {};
  const { start, source } = span ?? {};
  if (examples['default'] === undefined || start === undefined || source === undefined) return [];
  // A field that an alias adds is elsewhere.
  if (source !== map.span.source || start < map.span.start || start > map.span.end) return [];
  const column = start - source.text.lastIndexOf('\n', start - 1) - 1;
  const end = isFlow(map) ? ', ' : `\n${' '.repeat(column)}`;
  return [{ start, end: start, text: `default: ${examples['default']}${end}` }];
}

/** Whether it is written in braces, where a value with braces needs quotes. */
function isFlow(map: MapNode): boolean {
  const { source, start } = map.span;
  return source.text.startsWith('{', start);
}

/** The span of the resource's key. If an alias adds the map, the map is elsewhere, and problems are reported there only once. */
function ownSpan({ key, map }: FieldContext): Span {
  if (key === undefined || key.span.end > map.span.start) return headSpan(map);
  return key.span.source.text.slice(key.span.end, map.span.start).includes('&') ? headSpan(map) : key.span;
}

/** The span of the resource's first key. */
export function headSpan(map: MapNode): Span {
  return map.entries[0]?.key.span ?? map.span;
}

export function reportEmpty(entry: Entry, isRequired: boolean, context: FieldContext): void {
  const { resource, report } = context;
  const field = entry.key.text.value;
  report.add('empty-field', entry.key.span, {
    resource,
    field,
    isRequired: isRequired || neverOptional.has(field),
    example: exampleOf(field, context),
  });
}

/** Reports a value of the wrong kind for its field. */
export function reportWrongKind(field: string, node: Node, expected: string, context: FieldContext): void {
  const { resource, report } = context;
  report.add('wrong-kind', node.span, {
    what: `'${field}' of ${inSentence(resource)}`,
    expected,
    example: exampleOf(field, context) ?? `${field}: …`,
    meant: node.kind === 'scalar' && expected === 'true or false' ? truthOf(node.text.value) : undefined,
    rewriting: expected.startsWith('a list')
      ? asList(node, field)
      : expected.startsWith('a map')
        ? asMap(node, field)
        : /^a (?:whole )?number/.test(expected)
          ? asInteger(node, field)
          : withoutBrackets(node, field),
  });
}

/** Reports a list item that is not a map. */
export function reportWrongItem(
  field: string,
  itemName: string,
  item: Node,
  span: Span,
  { table, report }: FieldContext,
): void {
  // The first field of the example's first item.
  const first = /^\[\{ (.*?)(?:, \w+: .*)? \}\]$/.exec(table[field]?.example ?? '')?.[1];
  report.add('wrong-kind', span, {
    what: `An item of '${field}'`,
    expected: itemName.includes('`') ? itemName : `${itemName}, written as a map (\`key: value\`)`,
    example: `- ${first ?? 'name: …'}`,
    rewriting:
      field === 'instructions' || field === 'queries'
        ? asQuery(item)
        : field === 'parameters'
          ? asParameter(item)
          : undefined,
  });
}

/** The field with an example value, on one line; undefined if no generic example fits. */
function exampleOf(field: string, { table, examples }: FieldContext): string | undefined {
  const example = examples[field] ?? table[field]?.example;
  return example === undefined ? undefined : `${field}: ${example}`;
}

/** The lines, in backticks. */
function linesInText(lines: readonly string[]): string {
  return lines.length < 2
    ? lines.join('')
    : listed(
        lines.map((line) => `\`${line}\``),
        'and',
      );
}

/** The boolean that other YAML versions and languages write as `yes`, `off` or `1`. */
function truthOf(written: string): 'true' | 'false' | undefined {
  if (/^(?:true|yes|y|on|1)$/i.test(written)) return 'true';
  return /^(?:false|no|n|off|0)$/i.test(written) ? 'false' : undefined;
}
