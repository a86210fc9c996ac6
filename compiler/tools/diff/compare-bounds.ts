/** Bounds of values that clients send: `maxLength`, `pattern` and the like. */
import { breaking, fine, type ShapeChange } from './shape-change.js';
import type { Shape } from './value-shape.js';

/** The bounds that a higher number makes wider. */
const upper = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']);
const lower = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']);

/** The changes of the bounds, as the service accepts values. */
export function compareBounds(
  { bounds: before }: Shape,
  { bounds: after }: Shape,
  at: string,
): ShapeChange[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const [old, now] = [before.get(name), after.get(name)];
    if (old === now || now === false) return [];
    if (now === undefined) return [fine(`${at} has no ${name} now; it was ${String(old)}`)];
    if (old === undefined || old === false) return [breaking(`${at} has the ${name} ${String(now)} now`)];
    const isWider =
      (upper.has(name) && Number(now) > Number(old)) || (lower.has(name) && Number(now) < Number(old));
    return [
      { isBreaking: !isWider, text: `${at} has the ${name} ${String(now)} now; it was ${String(old)}` },
    ];
  });
}
