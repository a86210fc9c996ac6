/** Checks reads of results against the third party's description. */
import { didYouMean, warning } from '../../../../read/diagnostics/catalogue/entry-messages.js';
import { quotedList } from '../../../../read/diagnostics/quoted-list.js';
import { isUnambiguous, nearest } from '../../../../read/diagnostics/suggest.js';
import type { Expression, Path } from '../../../../read/expression/ast.js';
import { partOf, type Span } from '../../../../read/source.js';
import type { Analysis } from '../../../operations/analysis.js';
import type { AnalyzedOperation } from '../../../operations/analyzed-operation.js';
import { claimedType } from '../../../types/described-type.js';
import { typeAt, typeOf } from '../../../types/infer.js';
import { missingField } from '../../../types/missing-field.js';
import { isAnything, type ValueType } from '../../../types/value-type.js';
import type { Environment } from '../../../types/visible-values.js';
import { undescribedNameWording } from '../../described-wording.js';
import { readOf, spanOfStep } from '../../read-path.js';
import { rule } from '../../rule.js';
import { named } from '../../sent-value.js';
import { nodesIn } from '../../../../read/expression/visit.js';

/** Reports paths into results, and constants compared with them, that the description does not contain. */
export const undescribedResult = rule(
  {
    'undescribed-result': warning(
      { name: 'text', datasource: 'text', what: 'word', where: 'word', names: 'text', free: 'text' },
      undescribedNameWording,
    ),
    'undescribed-value': warning(
      { written: 'text', datasource: 'text', words: 'word', kinds: 'word' },
      (p: { written: string; datasource: string; words: readonly string[]; kinds: string; span: Span }) => {
        const meant = nearest(p.written, p.words);
        return {
          message: `According to the description of '${p.datasource}', this value is never ${p.written}.`,
          hint:
            didYouMean(meant) ??
            (p.words.length > 0 ? `It is one of ${quotedList(p.words.slice(0, 12))}.` : `It is ${p.kinds}.`),
          ...(meant !== undefined && {
            instead: meant,
            insteadOf: partOf(p.span, p.written),
            isSuggestion: !isUnambiguous(p.written, p.words),
          }),
        };
      },
    ),
  },
  ({ analysis, report }) => {
    const checkField = (node: Expression, environment: Environment, analyzed: AnalyzedOperation): void => {
      const read = readOf(node, environment);
      const claim = read?.type.claim;
      if (read === undefined || claim === undefined) return;
      const missing = missingField(claim.type, read.path);
      if (missing === undefined || isInFailure(node, read.path, analyzed, analysis)) return;
      report('undescribed-result', spanOfStep(node, missing.name), {
        name: missing.name,
        datasource: claim.datasource,
        what: 'field',
        where: 'in this result',
        names: missing.fields.names,
        free: missing.fields.names,
      });
    };
    const checkValue = (
      value: Expression,
      constant: Expression,
      environment: Environment,
      analyzed: AnalyzedOperation,
    ): void => {
      const { claim } = typeOf(value, environment);
      const { constant: written } = typeOf(constant, environment);
      if (claim === undefined || written === undefined || written === null) return;
      const path = 'path' in value ? value.path : [];
      if (isPossible(claim.type, written) || isInFailure(value, path, analyzed, analysis)) return;
      const { kinds, words } = claim.type;
      report('undescribed-value', constant.span, {
        ...{ written: String(written), datasource: claim.datasource, span: constant.span },
        ...{ words: [...(words ?? [])], kinds: named([...kinds]) },
      });
    };
    return {
      operation: (_, { analyzed }) => {
        for (const { expression, environment } of analyzed.flow.evaluations)
          for (const node of nodesIn(expression)) {
            checkField(node, environment, analyzed);
            if (node.kind !== 'comparison' || (node.operator !== '==' && node.operator !== '!=')) continue;
            checkValue(node.left, node.right, environment, analyzed);
            checkValue(node.right, node.left, environment, analyzed);
          }
      },
    };
  },
);

/** Whether a value of the type can equal the constant. */
function isPossible({ kinds, words }: ValueType, written: string | number | boolean): boolean {
  if (isAnything({ kinds })) return true;
  if (typeof written === 'string') return kinds.has('string') && (words === undefined || words.has(written));
  // Numbers that a double cannot represent, and numbers in strings, are compared by their digits.
  if (typeof written === 'number') return kinds.has('number') || kinds.has('string');
  return kinds.has('boolean');
}

/** Whether the path may belong to a failed response, because the operation distinguishes statuses. */
function isInFailure(
  node: Expression,
  path: Path,
  { fulfillments }: AnalyzedOperation,
  analysis: Analysis,
): boolean {
  if (node.kind !== 'value') return false;
  return fulfillments.some(({ fulfillment }) => {
    if (fulfillment.name.value !== node.name || !('instructions' in fulfillment)) return false;
    const datasource = analysis.datasource(fulfillment.datasource.value);
    return fulfillment.instructions.some(({ action }) => {
      if (action === undefined || !('url' in action) || datasource === undefined) return false;
      const failures = analysis.thirdParty(action, datasource)?.failures ?? [];
      return failures.map(claimedType).some((type) => {
        const { kinds } = typeAt(type, path);
        return missingField(type, path) === undefined && (kinds.size > 1 || !kinds.has('null'));
      });
    });
  });
}
