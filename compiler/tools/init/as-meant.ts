/**
 * Reads back the configuration written by `init` and compares it with the intended one, to ensure that foreign text did not become part of
 * its structure.
 */
import { referencesIn } from '../../../runtime/server/environment-reference.js';
import { checkStatements } from '../../analyze/check/sql/check-statements.js';
import { nodesOf } from '../../read/config/walk.js';
import { readConfig } from '../../read/config/read-config.js';
import { readYaml } from '../../read/config/yaml/yaml-document.js';
import { Report } from '../../read/diagnostics/report.js';
import { looksLikePlaceholder } from '../../read/expression/parse/placeholder.js';
import { isJsonMap } from '../../read/json.js';
import { jsonValue } from '../../read/openapi/json-value.js';
import type { Words } from './words.js';

export interface Meant {
  /** The intended contents of the file. */
  readonly config: Readonly<Record<string, unknown>>;
  /** The words that recorded the intended placeholders and variables. */
  readonly words: Words;
}

/** The first difference between a configuration's text and its intended value; undefined if there is none. */
export function differenceIn(text: string, { config, words }: Meant): string | undefined {
  // Converted to the file's encoding, which cannot contain unpaired surrogates.
  const source = { path: 'config.yaml', text: Buffer.from(text).toString() };
  const report = new Report();
  const root = readYaml(source, report);
  const wrong = report.diagnostics.find(({ severity }) => severity === 'error');
  if (root === undefined || wrong !== undefined) return wrong?.message ?? 'it cannot be read';
  const different = differentAt(jsonValue(root), config, []);
  if (different !== undefined) return `${different} is not as it was meant`;
  const read = readConfig(source, report);
  const names = read?.operations.map(({ name }) => name.value) ?? [];
  const meant = isJsonMap(config['operations']) ? Object.keys(config['operations']) : [];
  if (names.join('\n') !== meant.join('\n')) return 'its operations are others';
  for (const operation of read?.operations ?? []) {
    const other = nodesOf(operation).find(
      (node) => node.kind === 'variable' && !words.variables.has(node.name),
    );
    if (other?.kind === 'variable') return `${operation.name.value} reads the variable ${other.name}`;
  }
  return differentText(config, words);
}

/** The first error that the compiler finds in the text or its SQL. */
export function unreadableIn(text: string): string | undefined {
  const report = new Report();
  const config = readConfig({ path: 'config.yaml', text }, report);
  if (config !== undefined) checkStatements(config, report);
  return report.diagnostics.find(({ severity }) => severity === 'error')?.message;
}

/** Path of the first value that differs. */
function differentAt(read: unknown, meant: unknown, path: readonly (string | number)[]): string | undefined {
  if (Array.isArray(read) && Array.isArray(meant) && read.length === meant.length) {
    const found = read.map((item, index) => differentAt(item, meant[index], [...path, index]));
    return found.find((one) => one !== undefined);
  }
  if (isJsonMap(read) && isJsonMap(meant)) {
    const names = Object.keys(meant).filter((name) => meant[name] !== undefined);
    const other = Object.keys(read).find((name) => !names.includes(name));
    if (other !== undefined) return [...path, other].join('.');
    const found = names.map((name) => differentAt(read[name], meant[name], [...path, name]));
    return found.find((one) => one !== undefined);
  }
  // Numbers with many digits are read as strings.
  return read === meant || (typeof meant === 'number' && String(meant) === read) ? undefined : path.join('.');
}

/** Finds unintended placeholders and references. */
function differentText(config: Meant['config'], words: Words): string | undefined {
  const { operations, ...others } = config;
  for (const { text, field } of textsIn(operations, 'operations'))
    if (templates.has(field) && hasOther(text, field === 'query', words))
      return `'${text}' would contain an unintended placeholder`;
  for (const { text } of textsIn(others, '')) {
    const other = referencesIn(text).find((found) => !words.references.has(found.text));
    if (other !== undefined) return `the reference ${other.text} would be unintended`;
  }
  return undefined;
}

/** Whether the text has a placeholder that was not recorded as intended. */
function hasOther(text: string, isSql: boolean, { placed }: Words): boolean {
  for (let at = text.indexOf(':['); at !== -1; at = text.indexOf(':[', at)) {
    at += 2;
    const own = [...placed].filter((one) => text.startsWith(`${one}]`, at));
    // In SQL strings these characters may have another meaning, as in '{"a":[1]}'.
    const isOther = !isSql || (['A', 'B'] as const).some((syntax) => looksLikePlaceholder(text, at, syntax));
    if (own.length === 0 && isOther) return true;
    at += Math.max(0, ...own.map(({ length }) => length));
  }
  return false;
}

/** Fields whose strings can contain placeholders. */
const templates: ReadonlySet<string> = new Set(['query', 'url', 'header', 'message']);

/** Fields whose strings are expressions and names, at any depth. */
const withoutTemplates: ReadonlySet<string> = new Set(['schema', 'allow']);

function textsIn(value: unknown, field: string): { readonly text: string; readonly field: string }[] {
  if (typeof value === 'string') return [{ text: value, field }];
  if (Array.isArray(value)) return value.flatMap((item) => textsIn(item, field));
  if (!isJsonMap(value) || withoutTemplates.has(field)) return [];
  return Object.entries(value).flatMap(([name, one]) => textsIn(one, name));
}
