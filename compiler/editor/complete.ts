/** What can be written at a position: fields, words, names, functions, columns, parameters, environment references. */
import type { Analysis } from '../analyze/analysis.js';
import type { AnalyzedOperation } from '../analyze/analyzed-operation.js';
import { tryExpression } from '../expression/parse.js';
import type { Syntax } from '../expression/ast.js';
import { printName } from '../expression/name-argument.js';
import { wholeText } from '../source.js';
import { elementOf } from '../types/infer.js';
import { unknownValue } from '../types/known-types.js';
import type { ValueType } from '../types/value-type.js';
import { fieldTable, type FieldInfo, type Holds, type Kind } from './field-table.js';
import { functionDocs } from './function-docs.js';
import {
  fieldsOfType,
  operationAt,
  parametersOf,
  typeOfExpression,
  typeOfName,
  visibleAt,
  type Visible,
} from './readable-values.js';
import { placeKindOf, type PlaceKind } from './place-kind.js';
import { shortType } from './short-type.js';
import { yamlPathAt, type YamlPath } from './yaml-path.js';

export interface Completion {
  readonly label: string;
  readonly kind: 'field' | 'word' | 'function' | 'name' | 'column' | 'variable';
  /** A few words beside the label. */
  readonly detail?: string;
  readonly about?: string;
  /** What is written, where it is not the label. */
  readonly insert?: string;
  /** Whether `insert` is a snippet. */
  readonly isSnippet?: boolean;
  /** So many characters before the position are replaced. */
  readonly replaces: number;
}

/** `analysis`: of this text or one that was shortly before it; undefined where there has been none. */
export function complete(text: string, offset: number, analysis: Analysis | undefined): Completion[] {
  const path = yamlPathAt(text, offset);
  const place = placeKindOf(path.steps);
  const reference = /\$\{([A-Za-z0-9_]*)$/.exec(path.before);
  if (reference !== null) return environmentReferences(text, offset, reference[1] ?? '');
  if (path.isKey) {
    const keys = keysAt(text, path, place, analysis);
    // An item of a list may be one value.
    if (place.field === undefined || keys.length > 0) return keys;
  }
  return valuesAt({ text, offset, path, place, analysis });
}

function typed(before: string): string {
  // Looked at from its end: a pattern would begin at every character of a long line.
  let start = before.length;
  while (start > 0 && /[\p{L}\p{N}_$@-]/u.test(before.charAt(start - 1))) start -= 1;
  return before.slice(start);
}

function environmentReferences(text: string, offset: number, written: string): Completion[] {
  const names = [...text.matchAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)/g)]
    .filter(({ index }) => index + 2 + written.length !== offset)
    .map(([, name = '']) => name);
  return [...new Set(names)].map((label) => ({
    label,
    kind: 'variable',
    detail: 'environment variable',
    insert: text.charAt(offset) === '}' ? label : `${label}}`,
    replaces: written.length,
  }));
}

/** The fields that a map can have and does not have yet. */
function keysAt(
  text: string,
  path: YamlPath,
  place: PlaceKind,
  analysis: Analysis | undefined,
): Completion[] {
  const replaces = path.before.length;
  if (!place.isMap || place.kind === undefined) return modelsAt(place, path, analysis);
  const there = keysBeside(text, path);
  const syntax =
    place.kind === 'fulfillment' || place.kind === 'operation' ? syntaxOf(text, path, analysis) : undefined;
  return Object.entries(fieldTable[place.kind])
    .filter(([name, info]) => !there.has(name) && fits(info, syntax, place.kind))
    .map(([name, info]) => ({
      label: name,
      kind: 'field',
      detail: info.isRequired === true ? 'required' : 'optional',
      about: `${info.about}\n\nExample: \`${name}: ${info.example}\``,
      insert: `${name}:${isNested(info.holds) ? '' : ' '}`,
      replaces,
    }));
}

function fits(info: FieldInfo, syntax: Syntax | undefined, kind: Kind | undefined): boolean {
  // An operation without any sign of a syntax may get mappings.
  return syntax === undefined || info.syntax === undefined || info.syntax === syntax || kind === 'operation';
}

function isNested(holds: Holds): boolean {
  return ['map', 'list', 'named', 'names', 'headers', 'mappings', 'schemas', 'expressions'].includes(holds);
}

/** The names of models under `mappings`, and of their fields. */
function modelsAt(
  { field, inner }: PlaceKind,
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

/** The keys of the map around, without the line of the position itself. */
function keysBeside(text: string, { start, column }: YamlPath): Set<string> {
  const keys = new Set<string>();
  const own = text.slice(0, start).split('\n').length - 1;
  const lines = text.split('\n');
  const look = (step: 1 | -1): void => {
    for (let at = own; at >= 0 && at < lines.length; at += step) {
      const line = lines[at] ?? '';
      const [, lead = '', key] = /^((?: |- +)*)([\w]+)\s*:(?:\s|$)/.exec(line) ?? [];
      const indent = /^ */.exec(line)?.[0].length ?? 0;
      const isItem = lead.includes('-');
      if (at !== own && step === 1 && isItem && lead.length <= column) return;
      if (at !== own && key !== undefined && lead.length === column) keys.add(key);
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
  const own = text.slice(operation.name.place.start, Math.min(end, operation.name.place.start + 20_000));
  const isOpen = !/^[ \t]+(?:- +)?(?:queries|join|mappings|instructions):/m.test(own);
  return isOpen ? undefined : operation.syntax;
}

interface At {
  readonly text: string;
  readonly offset: number;
  readonly path: YamlPath;
  readonly place: PlaceKind;
  readonly analysis: Analysis | undefined;
}

function valuesAt(at: At): Completion[] {
  const { path, place, analysis } = at;
  const { field } = place;
  if (field === undefined) return [];
  const { info, name } = field;
  const replaces = path.before.trimStart().length;
  const named = (names: readonly string[], detail: string): Completion[] =>
    names.map((label) => ({ label, kind: 'name', detail, replaces }));
  if (info.words !== undefined)
    return info.words.map((label) => ({ label, kind: 'word', about: info.about, replaces }));
  if (info.holds === 'boolean')
    return ['true', 'false'].map((label) => ({ label, kind: 'word', about: info.about, replaces }));
  if (name === 'specification') return [{ label: '"1.0"', kind: 'word', replaces }];
  if (name === 'datasource' && place.kind === 'fulfillment')
    return (analysis?.config.datasources ?? []).map(({ name: { value }, type }) => ({
      label: value,
      kind: 'name',
      detail: `datasource (${type ?? 'unknown type'})`,
      replaces,
    }));
  if (name === 'operationName')
    return named(
      (analysis?.config.operations ?? []).map((one) => one.name.value),
      'operation',
    );
  if (name === 'authentications' && place.kind === 'operation')
    return named(
      (analysis?.config.authentications ?? []).map((one) => one.name.value),
      'authentication',
    );
  const isExpression = [
    'expression',
    'condition',
    'conditions',
    'schema',
    'schemas',
    'expressions',
    'mappings',
  ].includes(info.holds);
  const isTemplate = info.holds === 'headers' || ['query', 'url', 'message'].includes(name);
  if (isExpression) return inExpression(at, path.before);
  const open = path.before.lastIndexOf(':[');
  const inPlaceholder = path.before.slice(open + 2);
  if (isTemplate && open >= 0 && !closes(inPlaceholder)) return inExpression(at, inPlaceholder);
  return [];
}

/** Whether the placeholder that begins before the text ends in it. */
function closes(text: string): boolean {
  let depth = 0;
  for (const sign of text) {
    if (sign === '[') depth += 1;
    if (sign === ']') depth -= 1;
    if (depth < 0) return true;
  }
  return false;
}

const steps = String.raw`((?:\.[\p{L}\p{N}_-]+|\[[^\]]*\])*)`;

function pathOf(written: string): string[] {
  return [...written.matchAll(/\.([\p{L}\p{N}_-]+)|\[['"]?([^\]['"]*)['"]?\]/gu)].map(
    ([, name, index]) => name ?? index ?? '',
  );
}

function inExpression(at: At, before: string): Completion[] {
  const { offset, place, analysis, path, text } = at;
  const analyzed =
    analysis === undefined
      ? undefined
      : (analysis.operations.find(({ operation }) => operation.name.value === place.entry) ??
        operationAt(analysis, offset));
  if (analyzed === undefined) return functionsFor(before);
  const own = path.steps.find((step, index) => index === 2 && step.kind === 'key');
  const isBehind = own?.kind === 'key' && own.name !== 'fulfillments';
  const isIn = analyzed.operation.name.place.start <= offset;
  const visible = isIn ? visibleAt(analyzed.operation, offset, isBehind) : [];
  const context: Context = {
    analyzed,
    visible,
    offset,
    element: () => elementAt(text, path, place, analyzed, visible, offset),
  };
  return analyzed.operation.syntax === 'A' ? inSyntaxA(context, before) : inSyntaxB(context, before);
}

interface Context {
  readonly analyzed: AnalyzedOperation;
  readonly visible: readonly Visible[];
  readonly offset: number;
  /** The type of `@`. */
  readonly element: () => ValueType | undefined;
}

function functionsFor(before: string): Completion[] {
  const replaces = typed(before).length;
  return [...functionDocs].map(([label, { form, about, snippet }]) => ({
    label,
    kind: 'function',
    detail: form,
    about,
    insert: snippet,
    isSnippet: true,
    replaces,
  }));
}

function columns(type: ValueType, written: string, replaces: number): Completion[] {
  return fieldsOfType(type, pathOf(written))
    .filter(({ name }) => /^[\p{L}\p{N}_-]+$/u.test(name))
    .map(({ name, type: own }) => ({
      label: name,
      kind: 'column',
      detail: own.column === undefined ? shortType(own) : `${shortType(own)} (${own.column})`,
      replaces,
    }));
}

function namesOf({ visible, analyzed, offset }: Context, replaces: number): Completion[] {
  return visible.map((one) => ({
    label: one.fulfillment.name.value,
    kind: 'name',
    detail: `${one.isElement ? 'element of the loop' : `result of ${one.fulfillment.type}`}: ${shortType(typeOfName(analyzed, one, offset))}`,
    insert:
      analyzed.operation.syntax === 'A' ? printName(one.fulfillment.name.value) : one.fulfillment.name.value,
    replaces,
  }));
}

function parameters({ analyzed }: Context, replaces: number): Completion[] {
  return parametersOf(analyzed).map((label) => ({
    label,
    kind: 'variable',
    detail: `parameter: ${shortType(analyzed.request.param(label))}`,
    replaces,
  }));
}

function typeOfVisible({ visible, analyzed, offset }: Context, name: string): ValueType {
  const found = visible.find(({ fulfillment }) => fulfillment.name.value === name);
  return found === undefined ? unknownValue : typeOfName(analyzed, found, offset);
}

function inSyntaxA(context: Context, before: string): Completion[] {
  const replaces = typed(before).length;
  const value = new RegExp(String.raw`VALUE\(\s*([^,()]+?)\s*,\s*\$${steps}\.[\p{L}\p{N}_-]*$`, 'u').exec(
    before,
  );
  if (value !== null) {
    const [, name = '', written = ''] = value;
    const type = name === '@' ? (context.element() ?? unknownValue) : typeOfVisible(context, name);
    return columns(type, written, replaces);
  }
  const byIndex = new RegExp(
    String.raw`VALUE_BY_INDEX\(\s*([^,()]+?)\s*,.*,\s*\$${steps}\.[\p{L}\p{N}_-]*$`,
    'u',
  ).exec(before);
  if (byIndex !== null) return columns(typeOfVisible(context, byIndex[1] ?? ''), byIndex[2] ?? '', replaces);
  const body = new RegExp(String.raw`BODY\(\s*(?:\)\s*,\s*)?\$${steps}\.[\p{L}\p{N}_-]*$`, 'u').exec(before);
  if (body !== null) return columns(context.analyzed.request.body, body[1] ?? '', replaces);
  if (/PARAM\(\s*[^()]*$/.test(before))
    return parameters(context, /PARAM\(\s*([^()]*)$/.exec(before)?.[1]?.length ?? 0);
  if (/(?:VALUE|STATUS|VALUE_BY_INDEX)\(\s*[^(),]*$/.test(before)) {
    const written = /\(\s*([^(),]*)$/.exec(before)?.[1]?.length ?? 0;
    const element: Completion[] =
      context.element() === undefined
        ? []
        : [{ label: '@', kind: 'name', detail: 'the current element', replaces: written }];
    return [...element, ...namesOf(context, written)];
  }
  if (/\b(?:TEXT|INTEGER|DECIMAL|NULL|MULTIPART_FILE)\([^)]*$/.test(before)) return [];
  return functionsFor(before);
}

function inSyntaxB(context: Context, before: string): Completion[] {
  const replaces = typed(before).length;
  const read = new RegExp(
    String.raw`(?<![\p{L}\p{N}_@'"])([\p{L}_@][\p{L}\p{N}_-]*)${steps}\.[\p{L}\p{N}_-]*$`,
    'u',
  ).exec(before);
  if (read !== null) {
    const [, name = '', written = ''] = read;
    if (name === 'param' && written === '') return parameters(context, replaces);
    const type =
      name === 'body'
        ? context.analyzed.request.body
        : name === '@'
          ? (context.element() ?? unknownValue)
          : typeOfVisible(context, name);
    const size: Completion[] = [
      {
        label: 'size()',
        kind: 'function',
        detail: 'x.size()',
        about: functionDocs.get('SIZE')?.about ?? '',
        replaces,
      },
    ];
    return [...columns(type, written, replaces), ...size];
  }
  const words: Completion[] = [
    {
      label: 'param',
      kind: 'word',
      detail: 'param.<name>',
      about: functionDocs.get('PARAM')?.about ?? '',
      replaces,
    },
    {
      label: 'body',
      kind: 'word',
      detail: 'body.<field>',
      about: functionDocs.get('BODY')?.about ?? '',
      replaces,
    },
    ...['null', 'true', 'false'].map((label): Completion => ({ label, kind: 'word', replaces })),
  ];
  return [...namesOf(context, replaces), ...words];
}

/** The current element: of the `list` beside the innermost `item` around, else of the innermost loop. */
function elementAt(
  text: string,
  path: YamlPath,
  { inner }: PlaceKind,
  analyzed: AnalyzedOperation,
  visible: readonly Visible[],
  offset: number,
): ValueType | undefined {
  if (inner.some((step) => step.kind === 'key' && step.name === 'item')) {
    const list = listBeside(text, path.start, path.column);
    const expression =
      list === undefined ? undefined : tryExpression(wholeText('', list), analyzed.operation.syntax);
    if (expression === undefined) return unknownValue;
    const name = 'name' in expression ? expression.name : undefined;
    const known = visible.find(({ fulfillment }) => fulfillment.name.value === name);
    if (known !== undefined && expression.kind === 'value' && expression.path.length === 0)
      return elementOf(typeOfName(analyzed, known, offset));
    return elementOf(typeOfExpression(analyzed, expression, offset));
  }
  const loop = visible.filter(({ isElement }) => isElement).at(-1);
  return loop === undefined ? undefined : typeOfName(analyzed, loop, offset);
}

/** What is written behind `list:` beside the nearest `item:` above. */
function listBeside(text: string, start: number, column: number): string | undefined {
  const lines = text.slice(0, start).split('\n');
  let item: number | undefined;
  const inLine = /\blist:\s*(?:"([^"]*)"|'([^']*)'|([^,}]*(?:\([^)]*\))?))\s*,\s*item:/.exec(
    text.slice(text.lastIndexOf('\n', start) + 1).split('\n')[0] ?? '',
  );
  if (inLine !== null) return (inLine[1] ?? inLine[2] ?? inLine[3] ?? '').trim();
  let least = column + 1;
  if (/^ *item:/.test(text.slice(text.lastIndexOf('\n', start - 1) + 1))) item = column;
  for (const line of lines.reverse()) {
    const [, indent = '', key = '', value = ''] = /^((?: |- +)*)([\w]+):\s*(.*)$/.exec(line) ?? [];
    if (key === '') continue;
    if (item === undefined && key === 'item' && indent.length < least) item = indent.length;
    else if (item !== undefined && key === 'list' && indent.length === item)
      return value.replaceAll(/^['"]|['"]$/g, '');
    least = Math.min(least, Math.max(indent.length, item ?? 0) + (item === undefined ? 0 : 1));
    if (item !== undefined && indent.length < item) return undefined;
  }
  return undefined;
}
