/** Finds the smallest operation whose two variants still differ, by removing one part after the other. */
import type { Case, Operation } from './operation.js';
import type { Difference, Trial } from './play.js';
import { write } from './write.js';

type Plays = (trials: readonly Trial[]) => Promise<{ readonly differences: readonly Difference[] }>;

/** The number of smaller operations tried together as one service. */
const together = 80;

export async function shrink(found: Difference, plays: Plays): Promise<Difference> {
  let smallest = found;
  for (;;) {
    const { notations } = smallest;
    const candidates = smallerCases(smallest.trial.one)
      .map((one) => ({ one, notations }))
      .filter(isWritable);
    const next = await firstDifference(candidates, smallest, plays);
    if (next === undefined) return smallest;
    smallest = next;
  }
}

async function firstDifference(
  candidates: readonly Trial[],
  { isRefusal }: Difference,
  plays: Plays,
): Promise<Difference | undefined> {
  for (let at = 0; at < candidates.length; at += together) {
    const { differences } = await plays(candidates.slice(at, at + together));
    const same = differences.filter((one) => one.isRefusal === isRefusal);
    same.sort((one, other) => sizeOf(one) - sizeOf(other));
    if (same[0] !== undefined) return same[0];
  }
  return undefined;
}

function sizeOf({ trial }: Difference): number {
  return JSON.stringify(trial.one).length;
}

/** Fields that may be removed. */
const optional = [
  ...['if', 'index', 'loopbreak', 'onFailure', 'retry', 'header', 'code', 'schema', 'etag', 'transaction'],
  ...['contentType', 'body', 'isParallel'],
];
/** Fields that may replace the whole expression. */
const parts = ['left', 'right', 'of', 'item'];

function smallerCases({ seed, operation, requests }: Case): Case[] {
  return [
    ...requests.flatMap((_, at) => [
      { seed, operation, requests: requests.filter((_one, other) => other !== at) },
    ]),
    ...smaller(operation).map((one) => ({ seed, operation: one as Operation, requests })),
  ];
}

/** Whether the operation still has all required parts. */
function isWritable({ one: { operation, requests }, notations }: Trial): boolean {
  const text = JSON.stringify(operation);
  if (requests.length === 0 || /"(?:choices|responses|parts)":\[\]/.test(text)) return false;
  try {
    for (const notation of notations) write(operation, notation, 0);
    return true;
  } catch {
    return false;
  }
}

function smaller(value: unknown): unknown[] {
  if (Array.isArray(value)) {
    const list = value as unknown[];
    const fewer = list.map((_, at) => list.filter((_one, other) => other !== at));
    const inside = list.flatMap((one, at) => smaller(one).map((less) => list.with(at, less)));
    // A pair of a name and a value must not be shortened like a list.
    return typeof list[0] === 'string' && list.length === 2 ? inside : [...fewer, ...inside];
  }
  if (typeof value !== 'object' || value === null) return [];
  const map = value as Record<string, unknown>;
  return [
    ...parts.flatMap((name) => (typeof map[name] === 'object' ? [map[name]] : [])),
    ...optional.flatMap((name) => (name in map ? [without(map, name)] : [])),
    ...Object.entries(map).flatMap(([name, part]) =>
      name === 'path' || name === 'values' ? [] : smaller(part).map((less) => ({ ...map, [name]: less })),
    ),
  ];
}

function without(map: Record<string, unknown>, name: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(map).filter(([one]) => one !== name));
}
