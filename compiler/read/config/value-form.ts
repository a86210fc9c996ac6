/** Converts values written in the notation of other tools: names of status codes, durations with a unit, the size of a pool. */
import type { Rewriting } from './list-form.js';
import { isEmpty, type ListNode, type Node } from './yaml/node.js';

/** Names from RFC 9110, without spaces. */
const statusCodes: Readonly<Record<string, number>> = {
  ...{ ok: 200, created: 201, accepted: 202, nocontent: 204, badrequest: 400, unauthorized: 401 },
  ...{ forbidden: 403, notfound: 404, conflict: 409, gone: 410, preconditionfailed: 412 },
  ...{ unprocessableentity: 422, unprocessablecontent: 422, toomanyrequests: 429 },
  ...{ internalservererror: 500, notimplemented: 501, badgateway: 502, serviceunavailable: 503 },
};

/** Duration units in milliseconds. */
const units: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  sec: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
};

/** The intended number; undefined if unclear. */
export function asInteger(node: Node, field: string): Rewriting | undefined {
  if (node.kind !== 'scalar') return undefined;
  const written = node.text.value;
  const number =
    field === 'statuscode' ? statusOf(written) : durations.has(field) ? secondsOf(written) : undefined;
  return number === undefined ? undefined : replaced(node, String(number));
}

/** Fields in seconds. */
const durations: ReadonlySet<string> = new Set(['timeout', 'wait', 'maxWait']);

function statusOf(written: string): number | undefined {
  const [, digits, name = ''] = /^(\d{3})?[\s:-]*([A-Za-z][A-Za-z _-]*)?$/.exec(written.trim()) ?? [];
  if (digits !== undefined)
    return Number(digits) >= 200 && Number(digits) <= 599 ? Number(digits) : undefined;
  const key = name.toLowerCase().replaceAll(/[ _-]/g, '');
  return Object.hasOwn(statusCodes, key) ? statusCodes[key] : undefined;
}

function secondsOf(written: string): number | undefined {
  const [, digits, unit = ''] = /^(\d{1,8})\s*(ms|s|sec|m|min|h)$/i.exec(written.trim()) ?? [];
  const factor = units[unit.toLowerCase()];
  const seconds = digits === undefined || factor === undefined ? 0 : (Number(digits) * factor) / 1000;
  return Number.isInteger(seconds) && seconds > 0 ? seconds : undefined;
}

/** The map intended by a single value. */
export function asMap(node: Node, field: string): Rewriting | undefined {
  if (field === 'mappings' && node.kind === 'list') return modelsAsKeys(node);
  const key = field === 'pool' ? 'max' : field === 'retry' ? 'times' : undefined;
  if (key === undefined || node.kind !== 'scalar' || !/^\d{1,4}$/.test(node.text.value)) return undefined;
  const { start, end } = node.span;
  return {
    hint: `Write { ${key}: ${node.text.value} }.`,
    edits: [
      { start, end: start, text: `{ ${key}: ` },
      { start: end, end, text: ' }' },
    ],
    isSafe: true,
  };
}

/** Rewrites `- News:` to the key `News:`, keeping the lines below. */
function modelsAsKeys({ items, span: { source } }: ListNode): Rewriting {
  const isPlain = items.every(
    (item) =>
      item.kind === 'map' &&
      source.text.startsWith('- ', item.span.start - 2) &&
      item.entries.every(({ value }) => value.kind === 'map'),
  );
  return {
    hint: `Write each model as a key, without a dash: ${modelIn(items[0])}: { id: … }`,
    edits: isPlain ? items.map(({ span: { start } }) => ({ start: start - 2, end: start, text: '  ' })) : [],
    isSafe: true,
  };
}

/** The name in `News`, `News: { … }`, `model: News` or `model: [News]`; otherwise an example name. */
function modelIn(node: Node | undefined): string {
  switch (node?.kind) {
    case 'scalar':
      return node.text.value;
    case 'list':
      return modelIn(node.items[0]);
    case 'map': {
      const [first] = node.entries;
      const isKey = first?.value.kind === 'map' || (first !== undefined && isEmpty(first.value));
      return isKey ? first.key.text.value : modelIn(first?.value);
    }
    default:
      return 'News';
  }
}

/** Removes the brackets around a single value. */
export function withoutBrackets(node: Node, field: string): Rewriting | undefined {
  const [only, other] = node.kind === 'list' ? node.items : [];
  if (only?.kind !== 'scalar' || other !== undefined) return undefined;
  const { start, source } = node.span;
  const value = mayBeSecret.has(field) ? 'the value' : only.text.value;
  return {
    hint: `Write ${value} without the ${source.text.startsWith('[', start) ? 'brackets' : 'dash'}.`,
    edits: [],
    isSafe: true,
  };
}

const mayBeSecret: ReadonlySet<string> = new Set(['url', 'user', 'password', 'driver', 'licence', 'header']);

function replaced({ span: { start, end } }: Node, text: string): Rewriting {
  return { hint: `Write ${text}.`, edits: [{ start, end, text }], isSafe: true };
}
