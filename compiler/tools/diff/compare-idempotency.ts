/** Consequences of a changed idempotency key for clients. */
import { timeText } from '../../analyze/operations/limits.js';
import type { Idempotency } from '../../read/config/config-model.js';
import type { Expression } from '../../read/expression/ast.js';
import { printExpression } from '../../read/expression/print-expression.js';
import { breaking, fine, type ShapeChange } from './compare-shapes.js';

/** Compares keys. A request that was repeatable and no longer is, or is not accepted without a key, is breaking. */
export function compareIdempotency(
  before: Idempotency | undefined,
  after: Idempotency | undefined,
): ShapeChange[] {
  if (after === undefined)
    return before === undefined ? [] : [breaking('a repeated request makes its change again now')];
  const written = keyText(after.key);
  const isNewlyRequired = after.isRequired && before?.isRequired !== true;
  const required = isNewlyRequired ? [breaking(`requests without the key ${written} are refused now`)] : [];
  if (before === undefined)
    return [
      fine(`requests with the key ${written} can be repeated for ${timeText(after.keep)} now`),
      ...required,
    ];
  return [
    ...(keyText(before.key) === written
      ? []
      : [
          breaking(
            `the idempotency key is read from ${written} now; it was read from ${keyText(before.key)}`,
          ),
        ]),
    ...required,
    ...(before.isRequired && !after.isRequired ? [fine('requests without a key are accepted now')] : []),
    ...(before.keep === after.keep
      ? []
      : [
          (after.keep < before.keep ? breaking : fine)(
            `idempotency keys are kept for ${timeText(after.keep)} now; it was ${timeText(before.keep)}`,
          ),
        ]),
  ];
}

/** In one syntax, so that another syntax is not another key. */
function keyText(key: Expression | undefined): string {
  return key === undefined ? '' : printExpression(key, 'A');
}
