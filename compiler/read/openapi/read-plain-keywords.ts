/** Reads the schema keywords that do not contain other schemas, and checks them against the type. */
import { longestSlow } from '../../../runtime/validate/pattern.js';
import { entryOf, type MapNode, type Node } from '../config/yaml/node.js';
import type { Report } from '../diagnostics/report.js';
import type { ApiSchema } from './api-model.js';
import { keywordValue, type SchemaDraft, type SchemaNotes } from './schema-draft.js';
import {
  boundsOf,
  enumOf,
  meantKeyword,
  patternProblem,
  slowPattern,
  typesOf,
  unchecked,
} from './schema-keywords.js';
import { boundError, defaultValue, isOf, typedValue, type Typed } from './literal-values.js';

export function readPlainKeywords(
  draft: SchemaDraft,
  map: MapNode,
  isYaml: boolean,
  notes: SchemaNotes,
  report: Report,
): void {
  const value = (keyword: string): Node | undefined => keywordValue(map, keyword);
  const reportKeyword = (node: Node, keyword: string, problem: string): void => {
    report.add('schema-keyword', node.span, { keyword, problem });
  };
  const isTrue = (key: string): boolean => {
    const node = value(key);
    return node?.kind === 'scalar' && node.value === true;
  };
  const nullable = isTrue('nullable');
  draft.types = typesOf(value('type'), nullable, reportKeyword);
  const typed = { types: draft.types, isYaml };
  const [listed, constant] = [value('enum'), value('const')];
  draft.enum = enumOf(listed, constant, typed, reportKeyword);
  checkTypes(listed?.kind === 'list' ? listed.items : [], 'enum', typed, report);
  if (constant !== undefined) checkTypes([constant], 'const', typed, report);
  draft.bounds = boundsOf(value, reportKeyword);
  if (nullable) draft.nullable = true;
  if (isTrue('readOnly')) draft.readOnly = true;
  if (isTrue('writeOnly')) draft.writeOnly = true;
  const [format, description, standard] = [value('format'), value('description'), value('default')];
  const mediaType = value('contentMediaType');
  if (format?.kind === 'scalar') draft.format = format.text.value;
  // Binary content in OpenAPI 3.1; version 3.0 uses the format `binary`.
  else if (isBinary(mediaType)) draft.format = 'binary';
  if (mediaType?.kind === 'scalar' && isHtml.test(mediaType.text.value)) draft.isHtml = true;
  if (description?.kind === 'scalar') draft.description = description.text.value;
  if (standard !== undefined) {
    draft.default = defaultValue(standard, typed)?.value;
    notes.defaults.set(draft, { node: standard, typed });
  }
  checkPatterns(map, report);
  const pattern = value('pattern');
  const slow = slowPattern(String(draft.bounds.get('pattern') ?? ''));
  if (pattern !== undefined && slow !== undefined && !(Number(draft.bounds.get('maxLength')) <= longestSlow))
    report.add('slow-pattern', pattern.span, { reason: slow, longest: longestSlow });
  for (const { key } of map.entries) {
    const keyword = key.text.value;
    const meant = meantKeyword(keyword);
    if (meant !== undefined) reportKeyword(key, keyword, `unknown keyword; did you mean '${meant}'?`);
    if (!unchecked.has(keyword) || notes.reported.has(keyword)) continue;
    notes.reported.add(keyword);
    reportKeyword(key, keyword, 'it is not checked');
  }
}

/** Reports values that do not match the type, as a single diagnostic. */
function checkTypes(nodes: readonly Node[], keyword: string, typed: Typed, report: Report): void {
  const { types } = typed;
  const others = nodes.filter(
    (node) =>
      types !== undefined &&
      !isOf(node, types) &&
      !(types.includes('string') && typeof typedValue(node, typed) === 'string'),
  );
  const [first] = others;
  if (first === undefined || types === undefined) return;
  const written = first.kind === 'scalar' ? first.text.value : undefined;
  report.add('value-of-other-type', first.span, {
    ...{ keyword, written, types, isNull: first.kind === 'scalar' && first.value === null },
    isQuoted: first.kind === 'scalar' && first.style === 'quoted',
    more: others.length - 1,
  });
}

function checkPatterns(map: MapNode, report: Report): void {
  const pattern = entryOf(map, 'pattern')?.value;
  const names = entryOf(map, 'patternProperties')?.value;
  const nodes = [pattern, ...(names?.kind === 'map' ? names.entries.map(({ key }) => key) : [])];
  for (const node of nodes) {
    if (node?.kind !== 'scalar') continue;
    const problem = patternProblem(node.text.value);
    if (problem !== undefined) report.add('wrong-pattern', node.span, { problem, pattern: node.text.value });
    // Requires an anchor inside, because /news/ may be a path, while /^abc$/ cannot match anything.
    const inside = /^\/(\^.*|.*[^\\]\$)\/[a-z]*$/s.exec(node.text.value)?.[1];
    if (inside !== undefined) report.add('pattern-with-slashes', node.span, { inside });
  }
}

const isHtml = /^text\/html(?:;|$)/i;

function isBinary(mediaType: Node | undefined): boolean {
  return mediaType?.kind === 'scalar' && !/^(?:text\/|application\/(?:json|xml))/.test(mediaType.text.value);
}

/** Reports an invalid default of a parameter; other defaults are not used. */
export function checkDefault(
  schema: ApiSchema,
  { defaults }: Pick<SchemaNotes, 'defaults'>,
  report: Report,
): void {
  const found = defaults.get(schema);
  if (found === undefined) return;
  const { node, typed } = found;
  const read = defaultValue(node, typed);
  const written = node.kind === 'scalar' ? node.text.value : undefined;
  if (read === undefined || read.isTurned) {
    const type = typed.types?.join(' or ') ?? '';
    report.add('wrong-default', node.span, {
      written,
      problem: `its type is ${type}`,
      isUsed: read !== undefined,
    });
    return;
  }
  const problem = boundError(read.value, schema);
  if (problem !== undefined) report.add('wrong-default', node.span, { written, problem, isUsed: true });
}
