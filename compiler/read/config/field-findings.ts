/** Reports errors in the fields of one resource: unknown, missing or empty ones, and values of another kind. */
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

/** The resource whose fields are read. */
export interface FieldContext {
  /** In the user's words, with its name where it has one: `Fulfillment 'news'`. */
  readonly resource: string;
  readonly table: FieldTable;
  readonly map: MapNode;
  /** The key that it is written under, where it has one. */
  readonly key: ScalarNode | undefined;
  readonly report: Report;
  /** Better examples of some fields. */
  readonly examples: Readonly<Record<string, string | undefined>>;
}

/** Fields that are needed wherever they can be written, or without which nothing is left. */
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
  // The timer of another language: the fields inside it have other names, too.
  const isTimer = meant === 'triggers' && entry.value.kind !== 'list';
  // A field that the map has already is not suggested a second time.
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
 * Whether one value is written under the singular of a field with several, as `secret: …` for `secrets: […]`: the kind of the value is
 * part of that mistake. `field` is the one that is meant.
 */
export function isOneOfMany({ key, value }: Entry, field: string, table: FieldTable): boolean {
  const name = key.text.value.toLowerCase();
  if (field !== `${name}s` && (field === name || field !== name.replace(/y$/, 'ies'))) return false;
  const [bracket] = table[field]?.example ?? '';
  return (
    !isEmpty(value) &&
    ((bracket === '[' && value.kind !== 'list') || (bracket === '{' && value.kind !== 'map'))
  );
}

/** How that is written with the field that is meant; without edits where only the user knows it. */
function manyOf(
  { key, value }: Entry,
  field: string,
  { table }: FieldContext,
): { readonly many: string; readonly edits: readonly Edit[] } {
  const { example = '' } = table[field] ?? {};
  const { start, end } = key.span;
  const list = asList(value, field);
  // Fields that an alias adds are elsewhere.
  const isCertain = example.startsWith('[') && value.span.start > end && list?.isSafe !== false;
  const edits = isCertain ? (list?.edits ?? asOneItem(value)) : [];
  return {
    many: `${field}: ${example}`,
    edits: edits.length === 0 ? [] : [{ start, end, text: field }, ...edits],
  };
}

/** Reports required fields, at the key of the resource or its first one. */
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
  });
}

/** Whether it is written in braces, where a value with braces needs quotes. */
function isFlow(map: MapNode): boolean {
  const { source, start } = map.span;
  return source.text.startsWith('{', start);
}

/** The key of the field. Fields that an alias adds are elsewhere, and are reported once. */
function ownSpan({ key, map }: FieldContext): Span {
  if (key === undefined || key.span.end > map.span.start) return headSpan(map);
  return key.span.source.text.slice(key.span.end, map.span.start).includes('&') ? headSpan(map) : key.span;
}

/** The resource's first key. */
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

/** A value that is not of the kind that the field has. */
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

/** An item of a list that is not a map. */
export function reportWrongItem(
  field: string,
  itemName: string,
  item: Node,
  span: Span,
  { table, report }: FieldContext,
): void {
  // The first field of the first item.
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

/** A field as it may be written, in one line; undefined where nothing general can be shown. */
function exampleOf(field: string, { table, examples }: FieldContext): string | undefined {
  const example = examples[field] ?? table[field]?.example;
  return example === undefined ? undefined : `${field}: ${example}`;
}

/** Each of several lines in backticks. */
function linesInText(lines: readonly string[]): string {
  return lines.length < 2
    ? lines.join('')
    : listed(
        lines.map((line) => `\`${line}\``),
        'and',
      );
}

/** The truth value that other versions of YAML and other languages write as `yes`, `off` or `1`. */
function truthOf(written: string): 'true' | 'false' | undefined {
  if (/^(?:true|yes|y|on|1)$/i.test(written)) return 'true';
  return /^(?:false|no|n|off|0)$/i.test(written) ? 'false' : undefined;
}
