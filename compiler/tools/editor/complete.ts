/** All completions at a position: fields, words, names, functions, columns, parameters, environment references. */
import type { Analysis } from '../../analyze/operations/analysis.js';
import type { Source } from '../../read/source.js';
import { pathTargetOf } from './path-target.js';
import { yamlPathIn } from './yaml-path.js';
import type { At, Completion } from './completion-item.js';
import { keysAt } from './complete-key.js';
import { inExpression, isInForm } from './complete-expression.js';
import { inSql } from './complete-sql.js';

/** `source`: a file of the analysis; that is undefined where the configuration cannot be read. */
export function complete(source: Source, offset: number, analysis: Analysis | undefined): Completion[] {
  const { text } = source;
  const path = yamlPathIn(source, offset);
  const target = pathTargetOf(path.steps);
  const reference = /\$\{([A-Za-z0-9_]*)$/.exec(path.before);
  if (reference !== null) return environmentReferences(text, offset, reference[1] ?? '');
  if (path.isKey) {
    const keys = keysAt(text, path, target, analysis);
    // An item of a list may be one value.
    if (target.field === undefined || keys.length > 0) return keys;
  }
  return valuesAt({ source, text, offset, path, target, analysis });
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

function valuesAt(at: At): Completion[] {
  const { path, target, analysis } = at;
  if (isInForm(path)) return inExpression(at, path.before);
  const { field } = target;
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
  if (name === 'datasource' && target.kind === 'fulfillment')
    return (analysis?.config.datasources ?? []).map(({ name: { value }, type }) => ({
      label: value,
      kind: 'name',
      detail: `datasource (${type ?? 'unknown type'})`,
      replaces,
    }));
  if (name === 'outbox' && target.kind === 'datasource')
    return named(
      (analysis?.config.datasources ?? []).flatMap((one) => (one.type === 'db' ? [one.name.value] : [])),
      'datasource (db)',
    );
  if (name === 'operationName' || (name === 'operation' && target.kind === 'authentication'))
    return named(
      (analysis?.config.operations ?? []).map((one) => one.name.value),
      'operation',
    );
  if (
    (name === 'authentications' && target.kind === 'operation') ||
    (name === 'name' && target.kind === 'accepted')
  )
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
  return name === 'query' ? inSql(at, path.before) : [];
}

/** Whether the placeholder that begins before the text ends in it. */
function closes(text: string): boolean {
  let depth = 0;
  for (const character of text) {
    if (character === '[') depth += 1;
    if (character === ']') depth -= 1;
    if (depth < 0) return true;
  }
  return false;
}
