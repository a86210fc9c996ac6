/** The constants of a handler's statements and requests: one for those that are the same, with names that tell the others apart. */
import type { Expression } from '../plan/model.js';
import { camelCase, namePart, upperFirst } from '../plan/identifiers.js';
import type { RequestPlan } from '../plan/request-plan.js';
import type { ChoicePlan, StatementPlan } from '../plan/steps.js';
import type { Names } from './names.js';

type Action = ChoicePlan['action'];

/** `values`: what stands behind the `=` of each. Gives the name of each, and the values by their names. */
export function nameConstants(
  values: ReadonlyMap<Action, string>,
  names: Names,
): { readonly names: ReadonlyMap<Action, string>; readonly declarations: ReadonlyMap<string, string> } {
  const first = new Map<string, Action>();
  for (const [action, value] of values) if (!first.has(value)) first.set(value, action);
  const kinds = new Map<string, Action[]>();
  for (const action of first.values())
    kinds.set(plainName(action), [...(kinds.get(plainName(action)) ?? []), action]);
  const named = new Map<Action, string>();
  const declarations = new Map<string, string>();
  for (const [action, value] of values) {
    const same = first.get(value) ?? action;
    const alike = kinds.get(plainName(same)) ?? [];
    const name = named.get(same) ?? names.take(distinctName(same, alike));
    named.set(same, name);
    named.set(action, name);
    declarations.set(name, value);
  }
  return { names: named, declarations };
}

function plainName(action: Action): string {
  return action.kind === 'request' ? requestName(action) : statementName(action);
}

/** Several of one fulfillment are told apart by their methods or their values; where those are alike too, by numbers. */
function distinctName(action: Action, alike: readonly Action[]): string {
  const distinct = alike.map(sayingName);
  const own = sayingName(action);
  const isTold = alike.length > 1 && new Set(distinct).size === distinct.length && own.length <= 50;
  return isTold ? own : plainName(action);
}

/** `patchGone`; `selectNewsByAuthorId`, or `selectNews` without a value. */
function sayingName(action: Action): string {
  if (action.kind === 'request')
    return camelCase(`${action.method.toLowerCase()} ${upperFirst(namePart(action.fulfillment))}`, 'request');
  const words = [...new Set(action.sql.bindings.map(wordOf))];
  return words.length === 0
    ? plainName(action)
    : `${plainName(action)}By${words.map(upperFirst).join('And')}`;
}

/** The last name of what is read: `id` of `news.author.id`. */
function wordOf(value: Expression): string {
  const path = 'path' in value ? value.path : [];
  const last = path.findLast((step) => step.kind === 'name');
  if (last !== undefined) return camelCase(last.name, 'value');
  return 'name' in value ? camelCase(value.name, 'value') : 'value';
}

/** `requestForecast`, or `sendRequest` where the fulfillment is called that itself. */
function requestName({ fulfillment }: RequestPlan): string {
  const name = namePart(fulfillment);
  return name.toLowerCase().startsWith('request')
    ? `send${upperFirst(name)}`
    : camelCase(`request ${upperFirst(name)}`, 'request');
}

/** `selectNews`, or `runSelectNews` where the fulfillment is named after what it does. */
function statementName({ fulfillment, sql }: StatementPlan): string {
  const verb = sql.verb.toLowerCase();
  const name = namePart(fulfillment);
  return name.toLowerCase().startsWith(verb)
    ? `run${upperFirst(name)}`
    : camelCase(`${verb} ${upperFirst(name)}`, 'statement');
}
