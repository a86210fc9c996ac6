/** Completions in expressions: functions, names, columns, parameters. */
import { markdown } from '../../notation/markdown-writer.js';
import type { AnalyzedOperation } from '../../analyze/operations/analyzed-operation.js';
import type { Fulfillment, Operation } from '../../read/config/config-model.js';
import { constantFunctions, functionsInB } from '../../read/expression/functions.js';
import { printName } from '../../read/expression/parse/name-argument.js';
import { errorType } from '../../analyze/types/error-type.js';
import { unknownValue } from '../../analyze/types/known-types.js';
import type { ValueType } from '../../analyze/types/value-type.js';
import { functionDocs } from './function-docs.js';
import {
  callerType,
  fieldsOfType,
  operationAt,
  parametersOf,
  typeOfName,
  visibleAt,
  type Visible,
} from './readable-values.js';
import { shortType } from './short-type.js';
import type { At, Completion } from './completion-item.js';
import { elementAt } from './enclosing-element.js';
import { isInForm, keysOf } from './expression-before.js';

const pathSteps = String.raw`((?:\.[\p{L}\p{N}_-]+|\[[^\]]*\])*)`;

function pathOf(written: string): string[] {
  return [...written.matchAll(/\.([\p{L}\p{N}_-]+)|\[['"]?([^\]['"]*)['"]?\]/gu)].map(
    ([, name, index]) => name ?? index ?? '',
  );
}

export function inExpression(at: At, before: string): Completion[] {
  const { offset, target, analysis, path, text } = at;
  const analyzed =
    analysis === undefined || isInForm(path)
      ? undefined
      : (analysis.operations.find(({ operation }) => operation.name.value === target.entry) ??
        operationAt(analysis, at.source, offset));
  const ofError = isInError(at, analyzed?.operation) ? errorFields(before) : undefined;
  if (ofError !== undefined) return ofError;
  if (analysis === undefined || analyzed === undefined) return functionsFor(before);
  const own = path.steps.find((step, index) => index === 2 && step.kind === 'key');
  const isBehind = own?.kind === 'key' && own.name !== 'fulfillments';
  const isIn = analyzed.operation.name.span.start <= offset;
  const isJoin = path.steps.findLast((step) => step.kind === 'key')?.name === 'join';
  // A join can refer to results of later fulfillments.
  // Limits and idempotency keys are read before the first fulfillment.
  const isBefore = own?.kind === 'key' && (own.name === 'limits' || own.name === 'idempotency');
  const visible = isIn && !isBefore ? visibleAt(analyzed.operation, offset, isBehind || isJoin) : [];
  if (isIn && isJoin) visible.push(...later(analyzed.operation.fulfillments, visible));
  const context: Context = {
    caller: () => callerType(analysis),
    issuers: analysis.config.authentications.flatMap((one) =>
      one.type === 'jwt' && one.issue !== undefined ? [one.name.value] : [],
    ),
    functions: analysis.config.functions.map(({ name }) => name.value),
    analyzed,
    visible,
    offset,
    isJoin,
    element: () => elementAt(text, path, target, analyzed, visible, offset),
  };
  return analyzed.operation.syntax === 'A' ? inSyntaxA(context, before) : inSyntaxB(context, before);
}

/** Whether ERROR can be read here: in the body of an exception unless a fulfillment has this name, and in bodies of `settings.errors`. */
function isInError({ path }: At, operation: Operation | undefined): boolean {
  const keys = keysOf(path.steps);
  const isBody = keys.includes('exceptions') && keys.includes('schema', keys.lastIndexOf('exceptions'));
  const isHidden =
    operation?.syntax === 'B' && operation.fulfillments.some(({ name }) => name.value === 'error');
  return isInForm(path) || (isBody && !isHidden);
}

/** The error's fields after `ERROR($.` and `error.`; undefined elsewhere. */
function errorFields(before: string): Completion[] | undefined {
  const read = new RegExp(
    String.raw`(?:ERROR\(\s*\$|(?<![\p{L}\p{N}_@'".])error)${pathSteps}\.[\p{L}\p{N}_-]*$`,
    'u',
  ).exec(before);
  return read === null ? undefined : columns(errorType, read[1] ?? '', typed(before).length);
}

function later(all: readonly Fulfillment[], visible: readonly Visible[]): Visible[] {
  const known = new Set(visible.map(({ fulfillment }) => fulfillment));
  return all
    .filter((fulfillment) => !known.has(fulfillment))
    .map((fulfillment) => ({ fulfillment, isElement: false }));
}

interface Context {
  /** A join can only contain columns of results. */
  readonly isJoin: boolean;
  readonly analyzed: AnalyzedOperation;
  readonly visible: readonly Visible[];
  readonly offset: number;
  /** The type of CALLER. */
  readonly caller: () => ValueType;
  /** The names of the authentications that issue tokens. */
  readonly issuers: readonly string[];
  /** The user functions that expressions can call. */
  readonly functions: readonly string[];
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

/** The authentications that issue tokens. */
function issuers({ issuers: names }: Context, written: string): Completion[] {
  return names.map((label) => ({ label, kind: 'name', detail: 'authentication', replaces: written.length }));
}

/** The user functions that expressions can call. */
function declaredFunctions({ functions }: Context, written: string): Completion[] {
  return functions.map((label) => ({ label, kind: 'name', detail: 'function', replaces: written.length }));
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
  const value = new RegExp(String.raw`VALUE\(\s*([^,()]+?)\s*,\s*\$${pathSteps}\.[\p{L}\p{N}_-]*$`, 'u').exec(
    before,
  );
  if (value !== null) {
    const [, name = '', written = ''] = value;
    const type = name === '@' ? (context.element() ?? unknownValue) : typeOfVisible(context, name);
    return columns(type, written, replaces);
  }
  const byIndex = new RegExp(
    String.raw`VALUE_BY_INDEX\(\s*([^,()]+?)\s*,.*,\s*\$${pathSteps}\.[\p{L}\p{N}_-]*$`,
    'u',
  ).exec(before);
  if (byIndex !== null) return columns(typeOfVisible(context, byIndex[1] ?? ''), byIndex[2] ?? '', replaces);
  const body = new RegExp(String.raw`BODY\(\s*(?:\)\s*,\s*)?\$${pathSteps}\.[\p{L}\p{N}_-]*$`, 'u').exec(
    before,
  );
  if (body !== null) return columns(context.analyzed.request.body, body[1] ?? '', replaces);
  const caller = new RegExp(String.raw`CALLER\(\s*\$${pathSteps}\.[\p{L}\p{N}_-]*$`, 'u').exec(before);
  if (caller !== null) return columns(context.caller(), caller[1] ?? '', replaces);
  if (/PARAM\(\s*[^()]*$/.test(before))
    return parameters(context, /PARAM\(\s*([^()]*)$/.exec(before)?.[1]?.length ?? 0);
  if (/(?:VALUE|STATUS|FAILURE)(?:_BY_INDEX)?\(\s*[^(),]*$/.test(before)) {
    const written = /\(\s*([^(),]*)$/.exec(before)?.[1]?.length ?? 0;
    const element: Completion[] =
      context.element() === undefined
        ? []
        : [{ label: '@', kind: 'name', detail: 'the current element', replaces: written }];
    return [...element, ...namesOf(context, written)];
  }
  const issuer = /TOKEN\(\s*([^(),]*)$/.exec(before);
  if (issuer !== null) return issuers(context, issuer[1] ?? '');
  const called = /(?<![A-Z_])CODE\(\s*([^(),]*)$/.exec(before);
  if (called !== null) return declaredFunctions(context, called[1] ?? '');
  if (inConstant.test(before)) return [];
  return functionsFor(before);
}

/** Matches text inside the argument of functions that expect a constant, where names of the operation do not apply. */
const inConstant = RegExp(String.raw`\b(?:${[...constantFunctions, 'MULTIPART_FILE'].join('|')})\([^)]*$`);

function inSyntaxB(context: Context, before: string): Completion[] {
  const replaces = typed(before).length;
  const issuer = /(?<![\p{L}\p{N}_.])token\(\s*'?([^'(),]*)$/u.exec(before);
  if (issuer !== null) return issuers(context, issuer[1] ?? '');
  const called = /(?<![\p{L}\p{N}_.])code\(\s*'?([^'(),]*)$/u.exec(before);
  if (called !== null) return declaredFunctions(context, called[1] ?? '');
  const read = new RegExp(
    String.raw`(?<![\p{L}\p{N}_@'"])([\p{L}_@][\p{L}\p{N}_-]*)${pathSteps}\.[\p{L}\p{N}_-]*$`,
    'u',
  ).exec(before);
  if (read !== null) {
    const [, name = '', written = ''] = read;
    if (name === 'param' && written === '') return parameters(context, replaces);
    const type =
      name === 'body'
        ? context.analyzed.request.body
        : name === 'caller' && !hasFulfillment(context, name)
          ? context.caller()
          : name === '@'
            ? (context.element() ?? unknownValue)
            : typeOfVisible(context, name);
    const size: Completion[] = [
      {
        label: 'size()',
        kind: 'function',
        detail: 'x.size()',
        about: functionDocs.get('SIZE')?.about ?? markdown``,
        replaces,
      },
    ];
    return [...columns(type, written, replaces), ...(context.isJoin ? [] : size)];
  }
  const words: Completion[] = [
    {
      label: 'param',
      kind: 'word',
      detail: 'param.<name>',
      about: functionDocs.get('PARAM')?.about ?? markdown``,
      replaces,
    },
    ...['header', 'query', 'cookie'].map((label): Completion => ({
      ...{ label, kind: 'word', detail: `${label}.<name>`, replaces },
      about: functionDocs.get(label.toUpperCase())?.about ?? markdown``,
    })),
    {
      label: 'body',
      kind: 'word',
      detail: 'body.<field>',
      about: functionDocs.get('BODY')?.about ?? markdown``,
      replaces,
    },
    {
      label: 'caller',
      kind: 'word',
      detail: 'caller.<claim>',
      about: functionDocs.get('CALLER')?.about ?? markdown``,
      replaces,
    },
    ...functionsOfB(replaces),
    ...['null', 'true', 'false'].map((label): Completion => ({ label, kind: 'word', replaces })),
  ];
  const isWord = ({ label, kind }: Completion): boolean => kind !== 'word' || !hasFulfillment(context, label);
  return [...namesOf(context, replaces), ...(context.isJoin ? [] : words.filter(isWord))];
}

function hasFulfillment({ visible }: Context, name: string): boolean {
  return visible.some(({ fulfillment }) => fulfillment.name.value === name);
}

/** Snippets of functions whose names are strings in Syntax B. */
const snippetsOfB: Readonly<Record<string, string>> = {
  env: "env('$1')",
  token: "token('$1', $2)",
  code: "code('$1', $2)",
};

function functionsOfB(replaces: number): Completion[] {
  return [...functionsInB].map(([label, { form }]) => {
    const doc = functionDocs.get(label.toUpperCase());
    const snippet = (doc?.snippet ?? '').replace(/^[A-Z][A-Z\d_]*/, label);
    return {
      ...{
        label,
        kind: 'function',
        detail: form,
        about: doc?.about ?? markdown``,
        isSnippet: true,
        replaces,
      },
      insert: snippetsOfB[label] ?? snippet,
    };
  });
}

function typed(before: string): string {
  // Scans backwards: a pattern would be tried at every character of a long line.
  let start = before.length;
  while (start > 0 && /[\p{L}\p{N}_$@-]/u.test(before.charAt(start - 1))) start -= 1;
  return before.slice(start);
}
