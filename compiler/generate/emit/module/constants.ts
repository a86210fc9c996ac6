/** Constants of a handler's statements, requests and calls after the commit: equal actions share a constant, and the names distinguish the rest. */
import { printCode } from '../../code/print.js';
import type { Code, Name } from '../../code/code.js';
import { conditionWords, lastName } from '../../plan/names/condition-words.js';
import { camelCase, namePart, upperFirst } from '../../plan/names/identifiers.js';
import type { Expression } from '../../plan/model.js';
import type { RequestPlan } from '../../plan/requests/request-plan.js';
import type { ChoicePlan, DeferredStep, StatementPlan } from '../../plan/operation-plan.js';
import type { Names } from './names.js';

/** The action of a handler's constant: a statement, a request, or a call after the commit. */
export type Action = ChoicePlan['action'] | DeferredStep;

/** An action of a handler. */
export interface Declared extends Omit<ChoicePlan, 'action'> {
  readonly action: Action;
  /** Whether the action is one of several instructions. */
  readonly isChoice: boolean;
  /** The initializer of the constant. */
  readonly code: Code;
}

/** Returns the constant names by action, and the code by constant name. */
export function nameConstants(
  all: readonly Declared[],
  names: Names,
): { readonly names: ReadonlyMap<Action, Name>; readonly declarations: ReadonlyMap<Name, Code> } {
  const first = new Map<string, Declared>();
  // Equal actions have equal names, so actions with different names are not compared.
  const plain = all.map(({ action }) => plainName(action));
  const texts = all.map(({ code }, index) => {
    const name = plain[index] ?? '';
    return plain.indexOf(name) === plain.lastIndexOf(name) ? name : printCode(code);
  });
  for (const [index, one] of all.entries()) {
    const text = texts[index] ?? '';
    if (!first.has(text)) first.set(text, one);
  }
  const kinds = new Map<string, Declared[]>();
  for (const one of first.values()) {
    const name = plainName(one.action);
    kinds.set(name, [...(kinds.get(name) ?? []), one]);
  }
  const wished = new Map([...kinds].flatMap(([name, alike]) => [...distinctNames(name, alike)]));
  const named = new Map<Action, Name>();
  const declarations = new Map<Name, Code>();
  for (const [index, { action, code }] of all.entries()) {
    const same = first.get(texts[index] ?? '')?.action ?? action;
    const [wish, suffix] = wished.get(same) ?? [plainName(same)];
    const name = named.get(same) ?? names.take(wish, suffix);
    named.set(same, name);
    named.set(action, name);
    declarations.set(name, code);
  }
  return { names: named, declarations };
}

function plainName(action: Action): string {
  switch (action.kind) {
    case 'request':
      return requestName(action);
    case 'message':
      return verbName('send', action.fulfillment, 'deliver', 'message');
    case 'deferred':
      return verbName('store', action.fulfillment, 'later', 'call');
    case 'statement':
      return statementName(action);
  }
}

const suffixes = {
  ...{ statement: 'Statement', request: 'Request', message: 'Message', deferred: 'Call' },
} as const;

/** Maximum length of a distinguishing name. */
const longest = 50;

/** Distinguishes several constants of one fulfillment by values, or else by conditions, or else by numbers. */
function distinctNames(plain: string, alike: readonly Declared[]): Map<Action, [string, string]> {
  const suffix = suffixes[alike[0]?.action.kind ?? 'statement'];
  if (alike.length === 1) return new Map(alike.map(({ action }) => [action, [plain, suffix]]));
  const byValues = alike.map(({ action }) => nameByValues(plain, action));
  if (new Set(byValues).size === alike.length && byValues.every((name) => name.length <= longest))
    return new Map(alike.map(({ action }, index) => [action, [byValues[index] ?? plain, suffix]]));
  const taken = new Set<string>();
  return new Map(
    alike.map((one) => {
      const name = namesByCondition(plain, one).find(
        (wished) => wished.length <= longest && !taken.has(wished.toLowerCase()),
      );
      taken.add((name ?? plain).toLowerCase());
      return [one.action, [name ?? plain, name === undefined ? '' : suffix]];
    }),
  );
}

/** A name with the bound values, such as `selectNewsByAuthorId`, or `selectNews` without values. */
function nameByValues(plain: string, action: Action): string {
  if (action.kind !== 'statement') return plain;
  const words = [...new Set(action.sql.bindings.map(wordOf))];
  return words.length === 0 ? plain : `${plain}By${words.map(upperFirst).join('And')}`;
}

/** Names with the condition, such as `selectNewsWhenLatest` or `selectNewsOtherwise`. */
function namesByCondition(plain: string, { condition, isChoice }: Declared): string[] {
  if (condition === undefined) return isChoice ? [`${plain}Otherwise`] : [];
  return conditionWords(condition).map((word) => `${plain}When${word}`);
}

/** The last name that an expression reads, such as `id` in `news.author.id`. */
function wordOf(value: Expression): string {
  return camelCase(lastName(value) ?? '', 'value');
}

/** A name such as `postForecast`, or `sendPostForecast` if the fulfillment is named after its method. */
function requestName({ fulfillment, method }: RequestPlan): string {
  return verbName(method, fulfillment, 'send', 'request');
}

/**
 * A name such as `selectNews`. If the fulfillment is named after the verb: `deleteNews` from the table name, or `runDeleted` without a
 * table.
 */
function statementName({ fulfillment, sql: { verb }, table }: StatementPlan): string {
  const isNamedAfterVerb = namePart(fulfillment).toLowerCase().startsWith(verb.toLowerCase());
  return verbName(verb, isNamedAfterVerb && table !== undefined ? table : fulfillment, 'run', 'statement');
}

function verbName(verb: string, fulfillment: string, other: string, suffix: string): string {
  const [start, name] = [verb.toLowerCase(), namePart(fulfillment)];
  return name.toLowerCase().startsWith(start)
    ? `${other}${upperFirst(name)}`
    : camelCase(`${start} ${upperFirst(name)}`, suffix);
}
