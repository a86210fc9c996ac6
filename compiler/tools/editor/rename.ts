/** Renames a name everywhere in a configuration. */
import type { Analysis } from '../../analyze/operations/analysis.js';
import type { Operation } from '../../read/config/config-model.js';
import { functionProblem } from '../../analyze/check/function-name.js';
import { readEndpoint } from '../../read/config/operation-name.js';
import { editOf, type Edit } from '../../read/diagnostics/fix.js';
import { Trial } from '../../read/diagnostics/trial.js';
import { quote } from '../../read/expression/parse/quoted.js';
import { printName } from '../../read/expression/parse/name-argument.js';
import { hidesWord, isReadableName, isReservedName } from '../../read/expression/notation.js';
import { allFulfillments } from '../../read/config/walk.js';
import type { Source } from '../../read/source.js';
import { occurrenceAt, sameAs, type Occurrence } from './occurrences.js';

/** The name at the offset of a file if it can be renamed, otherwise a sentence with the reason why not. */
export function renamable(analysis: Analysis, file: Source, offset: number): Occurrence | string {
  const found = occurrenceAt(analysis, file, offset);
  if (found === undefined) return 'There is no name here that can be renamed.';
  if (found.kind === 'model') return 'Models are named in the API description. Rename them there.';
  return found;
}

/** The edits of one file. */
export interface FileEdits {
  readonly source: Source;
  readonly edits: readonly Edit[];
}

/** The edits to the configuration's files, or a sentence with the reason why the new name is not possible. */
export function rename(
  analysis: Analysis,
  file: Source,
  offset: number,
  name: string,
): readonly FileEdits[] | string {
  const found = renamable(analysis, file, offset);
  if (typeof found === 'string') return found;
  if (name.trim() === '' || /[\r\n]/.test(name)) return 'A name is one line of text.';
  if (name === found.name) return [];
  const { source, included } = analysis.config;
  const all = sameAs(analysis, file, offset);
  const problem = all.map((one) => problemOf(analysis, one, name)).find((one) => one !== undefined);
  if (problem !== undefined) return problem;
  return [source, ...included].flatMap((one): FileEdits[] => {
    const edits = all
      .filter(({ span }) => span.source === one)
      .flatMap(({ span, isInExpression, operation }) => {
        const isA = isInExpression === true && operation?.syntax === 'A';
        // Syntax B quotes names of functions and authentications.
        const isQuoted = isInExpression === true && /['"\\]/.test(one.text.charAt(span.start));
        return editOf(span, isA ? printName(name) : isQuoted ? quote(name, "'") : name) ?? [];
      });
    return edits.length === 0 ? [] : [{ source: one, edits }];
  });
}

/** Why the new name is not possible: two equal names could no longer be distinguished. */
function problemOf({ config }: Analysis, found: Occurrence, name: string): string | undefined {
  const { kind, operation } = found;
  if (kind === 'operation') {
    const named = config.operations.find((one) => one.name.value === found.name);
    const problem = named && endpointProblem(named, name);
    if (problem !== undefined) return problem;
  }
  if (kind === 'function' && functionProblem(name) !== undefined)
    return `'${name}' cannot be the name of a function and of its file. Use letters, digits and '_'.`;
  if (kind === 'fulfillment' && operation !== undefined) {
    const { syntax } = operation;
    if (isReservedName(name, syntax) || hidesWord(name, syntax)) return `'${name}' is reserved in Syntax B.`;
    if (!isReadableName(name, syntax))
      return syntax === 'B'
        ? `'${name}' is not a name of Syntax B. Use letters, digits, _ and -.`
        : `Expressions cannot read the name '${name}'. Use letters, digits, _ and -.`;
  }
  const taken = {
    fulfillment: () => [...allFulfillments(operation?.fulfillments ?? [])].map((one) => one.fulfillment),
    operation: () => config.operations,
    datasource: () => config.datasources,
    authentication: () => config.authentications,
    model: () => [],
    function: () =>
      config.operations
        .flatMap(({ fulfillments }) => [...allFulfillments(fulfillments)])
        .flatMap(({ fulfillment }) => (fulfillment.type === 'CODE' ? [{ name: fulfillment.function }] : []))
        .concat(config.functions),
  }[kind]();
  return taken.some((one) => one.name.value === name) ? `There is another ${kind} '${name}'.` : undefined;
}

/**
 * An endpoint must remain an endpoint with the same path parameters, which expressions read; other operations must not become endpoints.
 */
function endpointProblem(
  { name: { value: old, span }, endpoint }: Operation,
  name: string,
): string | undefined {
  const report = new Trial();
  const next = readEndpoint({ value: name, span }, false, report);
  if (endpoint === undefined)
    return next === undefined ? undefined : `'${name}' is an endpoint, and '${old}' is not.`;
  if (next === undefined || report.hasErrors)
    return `'${name}' is no endpoint. Write a method and a path, as in '${old}'.`;
  const lost = endpoint.parameters.filter((parameter) => !next.parameters.includes(parameter));
  return lost.length === 0
    ? undefined
    : `The path must keep ${lost.map((parameter) => `{${parameter}}`).join(', ')}: what reads it is not renamed.`;
}
