/** Diagnostics of loops, indexes, reference calls and timers. */
import { error, warning } from './entry-messages.js';

export const flowEntries = {
  'unknown-operation': error((p: { name: string; nearest: string | undefined }) => ({
    message: `There is no operation '${p.name}'.`,
    hint:
      p.nearest === undefined
        ? "The name of an operation is its key in 'operations'."
        : `Did you mean '${p.nearest}'?`,
    instead: p.nearest,
  })),
  'reference-without-response': error((p: { name: string }) => ({
    message: `Operation '${p.name}' has no default response, so a reference call has no result to read.`,
    hint: `Give '${p.name}' a response with 'default: true'.`,
  })),
  'reference-cycle': warning((p: { circle: string }) => ({
    message: `These operations call each other in a circle: ${p.circle}. Calls more than 32 deep end with status 500.`,
    hint: "Make sure that an 'if' ends the circle.",
  })),
  'loopbreak-outside-loop': error(() => ({
    message: "'loopbreak' stops the loop around a fulfillment, and this one stands in none.",
    hint: 'Put it on a fulfillment inside a LOOP, or on the LOOP itself.',
  })),
  'index-outside-loop': error(() => ({
    message: "'index' tells the results of iterations apart, and this fulfillment stands in no loop.",
    hint: "Take 'index' away; outside loops the result is read with VALUE.",
  })),
  'index-of-loop': error(() => ({
    message: "'index' stores the result of a fulfillment, and a LOOP has none.",
    hint: "Put 'index' on the fulfillment inside the loop whose result is to be read later.",
  })),
  'concurrency-with-loopbreak': error(() => ({
    message:
      "A loop with 'loopbreak' runs one iteration after the other: 'concurrency' cannot be used with it.",
    hint: 'Take one of the two away.',
  })),
  'value-by-index-without-index': error((p: { name: string }) => ({
    message: `Fulfillment '${p.name}' has no 'index', so nothing is stored that VALUE_BY_INDEX could read.`,
    hint: `Give '${p.name}' an 'index' inside its loop.`,
  })),
  'wrong-cron': error((p: { written: string; problem: string }) => {
    const hasNoSeconds = /^\s*\S+(?:\s+\S+){4}\s*$/.test(p.written);
    const instead = hasNoSeconds ? `0 ${p.written.trim()}` : undefined;
    return {
      message: `'${p.written}' is no schedule: ${p.problem}.`,
      hint:
        instead === undefined
          ? "Six fields: second minute hour day-of-month month day-of-week; '0 0 3 * * *' is every day at three."
          : `The seconds are missing. Write ${instead}`,
      instead,
    };
  }),
  'impossible-schedule': error((p: { written: string }) => ({
    message: `'${p.written}' never comes: there is no such day.`,
    hint: 'When both the day of the month and the day of the week are given, both must match.',
  })),
  'unknown-timezone': error((p: { written: string }) => ({
    message: `'${p.written}' is no time zone.`,
    hint: "Write a name of the IANA list, such as 'Europe/Berlin' or 'UTC'.",
  })),
  'never-true': warning((p: { reason: string; hint: string }) => ({
    message: `This condition is never true: ${p.reason}.`,
    hint: p.hint,
  })),
  'always-true': warning((p: { reason: string; hint: string }) => ({
    message: `This condition is always true: ${p.reason}.`,
    hint: p.hint,
  })),
};
