/** Diagnostics of `include`, and of the files that it names. */
import { error } from './entry-messages.js';

export const includeEntries = {
  'wrong-include': error((p: { problem: string; hint: string }) => ({
    message: `${p.problem}.`,
    hint: p.hint,
  })),
  'not-operations': error((p: { problem: string; hint: string }) => ({
    message: `An included file is a map of operations: ${p.problem}.`,
    hint: p.hint,
  })),
};
