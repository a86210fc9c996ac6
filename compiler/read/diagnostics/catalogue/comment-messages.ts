/** Diagnostics of the comments that disable diagnostics. */
import { isUnambiguous, nearest } from '../suggest.js';
import { meantOr, warning } from './entry-messages.js';

export const commentEntries = {
  'wrong-comment': warning((p: { problem: string; hint: string }) => ({
    message: `This comment has no effect: ${p.problem}.`,
    hint: p.hint,
  })),
  'unknown-code': warning((p: { code: string; codes: readonly string[] }) => ({
    message: `Unknown diagnostic code '${p.code}'.`,
    ...meantOr(nearest(p.code, p.codes), "'apikiln explain --codes' lists all codes."),
    isSuggestion: !isUnambiguous(p.code, p.codes),
  })),
  'cannot-be-disabled': warning((p: { code: string }) => ({
    message: `'${p.code}' cannot be disabled: no service can be generated while it is reported.`,
    hint: 'Fix the error, and remove the code from the comment.',
  })),
  'unneeded-comment': warning((p: { code: string }) => ({
    message: `'${p.code}' is not reported here.`,
    hint: 'Remove it from the comment.',
  })),
};
