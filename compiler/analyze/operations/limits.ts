/** Limits on the number of requests: their descriptions, and the values that they count by. */
import type { Config, Operation, RequestLimit } from '../../read/config/config-model.js';
import { units } from '../../read/config/duration.js';
import { printExpression } from '../../read/expression/print-expression.js';
import { acceptedBy } from './authentications/accepted.js';

/** A limit in words: `5 requests in 15m by BODY($.email), ADDRESS()`. */
export function limitText({ times, within, by, countsAll, syntax }: RequestLimit): string {
  const values = by.map((value) => printExpression(value, syntax)).join(', ');
  return `${times} ${countsAll ? '' : 'refused '}request${times === 1 ? '' : 's'} in ${timeText(within)} by ${values}`;
}

/** A time in its largest unit: `15m`. */
export function timeText(seconds: number): string {
  const [unit = 's', size = 1] = Object.entries(units).findLast(([, length]) => seconds % length === 0) ?? [];
  return `${seconds / size}${unit}`;
}

/** All limits of requests to an endpoint, in the order of their checks: of the service, of its authentications, and of itself. */
export function limitsOfRequests(operation: Operation, config: Config): readonly RequestLimit[] {
  if (operation.endpoint === undefined) return [];
  const accepted = new Set(acceptedBy(operation, config)?.map(({ value }) => value));
  const authentications = config.authentications.filter(({ name }) => accepted.has(name.value));
  return [...config.settings.limits, ...authentications.flatMap(({ limits }) => limits), ...operation.limits];
}

/** The limits of the service, of all authentications, and of all operations. */
export function everyLimit({ settings, authentications, operations }: Config): readonly RequestLimit[] {
  return [settings, ...authentications, ...operations].flatMap(({ limits }) => limits);
}
