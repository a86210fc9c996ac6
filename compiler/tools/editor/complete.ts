/** All completions at a position: fields, words, names, functions, columns, parameters, environment references. */
import { markdown } from '../../notation/markdown-writer.js';
import { hasUnseen, visible } from '../../notation/unseen.js';
import type { Analysis } from '../../analyze/operations/analysis.js';
import { allFulfillments } from '../../read/config/walk.js';
import type { Source } from '../../read/source.js';
import { pathTargetOf } from './path-target.js';
import { yamlPathIn } from './yaml-path.js';
import type { At, Completion } from './completion-item.js';
import { keysAt } from './complete-key.js';
import { inExpression } from './complete-expression.js';
import { inSql } from './complete-sql.js';
import { expressionBefore, isInForm } from './expression-before.js';

/** Facts from files next to a configuration. */
export interface Beside {
  /** Variables in `.env`. */
  readonly variables: readonly string[];
  /** Functions in the service's `src/code`. */
  readonly functions: readonly string[];
}

/** `source`: a file of the analysis, which is undefined if the configuration cannot be read. */
export function complete(
  source: Source,
  offset: number,
  analysis: Analysis | undefined,
  { variables, functions }: Beside = { variables: [], functions: [] },
): Completion[] {
  const { text } = source;
  const path = yamlPathIn(source, offset);
  const target = pathTargetOf(path.steps);
  const reference = /\$\{([A-Za-z0-9_]*)$/.exec(path.before);
  if (reference !== null) return environmentReferences(text, offset, reference[1] ?? '', variables);
  if (path.isKey) {
    const keys = keysAt(text, path, target, analysis);
    // A list item may be a plain value.
    if (target.field === undefined || keys.length > 0) return keys.flatMap(inOneLine);
  }
  const values = valuesAt({ source, text, offset, path, target, analysis }, functions);
  return values.flatMap(inOneLine);
}

/** Empty for a name with a line break, which would insert several lines of YAML; details are reduced to one line. */
function inOneLine({ detail, ...completion }: Completion): Completion[] {
  if (hasUnseen(completion.label)) return [];
  return [{ ...completion, ...(detail === undefined ? {} : { detail: visible(detail) }) }];
}

function environmentReferences(
  text: string,
  offset: number,
  written: string,
  variables: readonly string[],
): Completion[] {
  const names = [...text.matchAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)/g)]
    .filter(({ index }) => index + 2 + written.length !== offset)
    .map(([, name = '']) => name);
  return [...new Set([...names, ...variables])].map((label) => ({
    label,
    kind: 'variable',
    detail: 'environment variable',
    insert: text.charAt(offset) === '}' ? label : `${label}}`,
    replaces: written.length,
  }));
}

function valuesAt(at: At, functions: readonly string[]): Completion[] {
  const { path, target, analysis } = at;
  if (isInForm(path)) return inExpression(at, path.before);
  const { field } = target;
  if (field === undefined) return [];
  const { info, name } = field;
  const replaces = path.before.trimStart().length;
  const named = (names: readonly string[], detail: string): Completion[] =>
    names.map((label) => ({ label, kind: 'name', detail, replaces }));
  if (info.words !== undefined)
    return info.words.map((label) => ({
      label,
      kind: 'word',
      about: markdown.documentation(info.about),
      replaces,
    }));
  if (info.holds === 'boolean')
    return ['true', 'false'].map((label) => ({
      label,
      kind: 'word',
      about: markdown.documentation(info.about),
      replaces,
    }));
  if (name === 'specification') return [{ label: '"1.0"', kind: 'word', replaces }];
  if (name === 'datasource' && target.kind === 'fulfillment')
    return (analysis?.config.datasources ?? []).map(({ name: { value }, type }) => ({
      label: value,
      kind: 'name',
      detail: `datasource (${type ?? 'unknown type'})`,
      replaces,
    }));
  if (
    (name === 'outbox' && (target.kind === 'datasource' || target.kind === 'fulfillment')) ||
    (name === 'store' && target.kind === 'requestLimit')
  )
    return named(
      (analysis?.config.datasources ?? []).flatMap((one) => (one.type === 'db' ? [one.name.value] : [])),
      'datasource (db)',
    );
  if (name === 'operationName' || (name === 'operation' && target.kind === 'authentication'))
    return named(
      (analysis?.config.operations ?? []).map((one) => one.name.value),
      'operation',
    );
  if (name === 'function' && target.kind === 'fulfillment')
    return named(functionsOf(analysis, path.before.trim(), functions), 'function of src/code');
  if (
    (name === 'authentications' && target.kind === 'operation') ||
    (name === 'name' && target.kind === 'accepted')
  )
    return named(
      (analysis?.config.authentications ?? []).map((one) => one.name.value),
      'authentication',
    );
  const expression = expressionBefore(path, target);
  if (expression !== undefined) return inExpression(at, expression);
  return name === 'query' ? inSql(at, path.before) : [];
}

/** User functions called by the configuration, except the one being written, followed by the other functions in `src/code`. */
function functionsOf(analysis: Analysis | undefined, written: string, others: readonly string[]): string[] {
  const names = (analysis?.config.operations ?? []).flatMap(({ fulfillments }) =>
    allFulfillments(fulfillments).flatMap(({ fulfillment }) =>
      fulfillment.type === 'CODE' ? [fulfillment.function.value] : [],
    ),
  );
  const called = names.filter((name) => name !== '' && name !== written);
  return [...new Set([...called, ...others])];
}
