/** Completions for keys: fields that a map does not have yet, and names of models. */
import { markdown } from '../../notation/markdown-writer.js';
import type { Analysis } from '../../analyze/operations/analysis.js';
import { datasourceFields, fulfillmentFields } from '../../read/config/meant-fields.js';
import type { Syntax } from '../../read/expression/ast.js';
import { fieldTable, type FieldInfo, type Holds, type Kind } from '../../read/config/field-table.js';
import type { PathTarget } from './path-target.js';
import type { YamlPath } from './yaml-path.js';
import type { Completion } from './completion-item.js';

/** The possible fields of a map that it does not have yet. */
export function keysAt(
  text: string,
  path: YamlPath,
  target: PathTarget,
  analysis: Analysis | undefined,
): Completion[] {
  const replaces = path.before.length;
  if (!target.isMap || target.kind === undefined) return modelsAt(target, path, analysis);
  const there = keysBeside(text, path);
  const syntax =
    target.kind === 'fulfillment' || target.kind === 'operation' ? syntaxOf(text, path, analysis) : undefined;
  return Object.entries(fieldTable[target.kind])
    .filter(([name, info]) => !there.has(name) && accepts(info, syntax, target.kind))
    .filter(([, info]) => info.isDeprecated !== true)
    .filter(([name]) => hasField(target.kind, there.get('type'), name))
    .sort(([, a], [, b]) => Number(b.isRequired === true) - Number(a.isRequired === true))
    .map(([name, info]) => ({
      label: name,
      kind: 'field',
      detail: info.isRequired === true ? 'required' : 'optional',
      about: markdown`${markdown.documentation(info.about)}\n\nExample: ${markdown.code(`${name}: ${info.example}`)}`,
      insert: `${name}:${isNested(info.holds) ? '' : ' '}`,
      replaces,
    }));
}

function accepts(info: FieldInfo, syntax: Syntax | undefined, kind: Kind | undefined): boolean {
  // An operation without recognizable syntax may get mappings.
  return syntax === undefined || info.syntax === undefined || info.syntax === syntax || kind === 'operation';
}

/** Whether a fulfillment or datasource of this type has the field; true if the type is missing or unknown. */
function hasField(kind: Kind | undefined, type: string | undefined, name: string): boolean {
  const tables: readonly Readonly<Record<string, readonly string[]>>[] =
    kind === 'fulfillment'
      ? [fulfillmentFields.A, fulfillmentFields.B]
      : kind === 'datasource'
        ? [datasourceFields]
        : [];
  const known = tables.flatMap((table) => (type === undefined ? [] : (table[type] ?? [])));
  return known.length === 0 || known.includes(name);
}

function isNested(holds: Holds | undefined): boolean {
  const nested: readonly (Holds | undefined)[] = [
    'map',
    'list',
    'named',
    'namedOrStrings',
    'errors',
    'names',
    'namesOrMaps',
    'strings',
    'headers',
    'mappings',
    'schemas',
    'expressions',
  ];
  return nested.includes(holds);
}

/** Names of models and of their fields under `mappings`. */
function modelsAt(
  { field, inner }: PathTarget,
  { before }: YamlPath,
  analysis: Analysis | undefined,
): Completion[] {
  if (field?.info.holds !== 'mappings') return [];
  const models = analysis?.description?.models;
  const [step] = inner;
  const names =
    step?.kind === 'key'
      ? [...(models?.get(step.name)?.properties.keys() ?? [])]
      : [...(models?.keys() ?? [])];
  return names.map((label) => ({
    label,
    kind: step === undefined ? 'name' : 'column',
    detail: step === undefined ? 'model' : 'field of the model',
    insert: `${label}:${step === undefined ? '' : ' '}`,
    replaces: before.length,
  }));
}

/** The keys of the enclosing map with the first word of their values, excluding the line of the position. */
function keysBeside(text: string, { start, column }: YamlPath): Map<string, string | undefined> {
  const keys = new Map<string, string | undefined>();
  const own = text.slice(0, start).split('\n').length - 1;
  const lines = text.split('\n');
  const look = (step: 1 | -1): void => {
    for (let at = own; at >= 0 && at < lines.length; at += step) {
      const line = lines[at] ?? '';
      const [, lead = '', key, value] = /^((?: |- +)*)([\w]+)\s*:(?:\s+['"]?(\w+)|\s|$)/.exec(line) ?? [];
      const indent = /^ */.exec(line)?.[0].length ?? 0;
      const isItem = lead.includes('-');
      if (at !== own && step === 1 && isItem && lead.length <= column) return;
      if (at !== own && key !== undefined && lead.length === column) keys.set(key, value);
      if (isItem && lead.length <= column && step === -1) return;
      if (at !== own && line.trim() !== '' && !/^\s*#/.test(line) && indent < column && !isItem) return;
    }
  };
  look(-1);
  look(1);
  return keys;
}

function syntaxOf(
  text: string,
  { start, steps }: YamlPath,
  analysis: Analysis | undefined,
): Syntax | undefined {
  const name = steps[1]?.kind === 'key' ? steps[1].name : undefined;
  const operation = name === undefined ? undefined : analysis?.operation(name);
  if (operation === undefined)
    return /^[ \t]+(?:- +)?(?:queries|mappings|join):/m.test(text.slice(0, start)) ? undefined : 'A';
  const end = text.length;
  const own = text.slice(operation.name.span.start, Math.min(end, operation.name.span.start + 20_000));
  const isOpen = !/^[ \t]+(?:- +)?(?:queries|join|mappings|instructions):/m.test(own);
  return isOpen ? undefined : operation.syntax;
}
