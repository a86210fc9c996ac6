/** The number of elements in `LIST(…)`. Decisions 3.7. */
import type { Expression } from './ast.js';
import { ownType, type OwnType } from './node-kinds.js';
import type { Production, Scanner } from './parse/scanner.js';

/** The highest number of elements, which is also the default of the service's setting `LOOP_LIMIT`. */
const maximum = 100_000;

/** ListCount := digits | Expression that can be an integer */
export function listCount(scanner: Scanner, expression: Production): Expression | undefined {
  const start = scanner.index;
  const digits = scanner.match(/[+-]?\d[\d._]*(?=\s*(?:[,)]|$))/y);
  const count: Expression | undefined =
    digits === undefined
      ? scanner.nested(() => expression(scanner))
      : { kind: 'number', value: Number(digits), span: scanner.span(start) };
  if (count === undefined || isCount(count)) return count;
  const written = scanner.slice(start).trimEnd();
  scanner.errors.add('list-count', scanner.span(start, start + written.length), { written, maximum });
  return scanner.errorNode(start);
}

const countTypes: ReadonlySet<OwnType> = new Set(['string', 'integer', 'status', 'rows', 'unknown']);

function isCount(count: Expression): boolean {
  if (count.kind === 'number')
    return Number.isInteger(count.value) && count.value >= 0 && count.value <= maximum;
  if (count.kind === 'text') return /^\d{1,6}$/.test(count.value) && Number(count.value) <= maximum;
  return count.kind !== 'multipart-file' && countTypes.has(ownType(count));
}
