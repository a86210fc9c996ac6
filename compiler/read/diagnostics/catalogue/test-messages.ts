/** Diagnostics about test files, which `apikiln test` reads. */
import { quotedList } from '../quoted-list.js';
import { isUnambiguous } from '../suggest.js';
import { error, meantOr, warning, type Wording } from './entry-messages.js';
import { words } from '../marks.js';

/** A name that is missing from the configuration. */
interface UnknownName {
  readonly name: string;
  readonly nearest: string | undefined;
  /** The names in the configuration. */
  readonly known: readonly string[];
}

function suggestion({ name, nearest, known }: UnknownName, what: string): Omit<Wording, 'message'> {
  const list =
    known.length === 0
      ? `The configuration has no ${what}.`
      : `Write one that the configuration has: ${quotedList(known.slice(0, 20))}.`;
  return { ...meantOr(nearest, list), isSuggestion: !isUnambiguous(name, known) };
}

export const testEntries = {
  'test-operation': error(
    { name: 'text', nearest: 'suggestion', known: 'text' },
    (p: UnknownName & { isRequest: boolean }) => ({
      message: p.isRequest ? `No operation serves '${p.name}'.` : `Unknown operation '${p.name}'.`,
      ...suggestion(p, 'operations'),
      ...(p.isRequest && p.nearest === undefined
        ? {
            hint: 'Write the name of an operation. To test a request that is not served, write response: { statuscode: 404 }',
          }
        : {}),
      // The path of a request contains values instead of parameter names, so it cannot be replaced.
      ...(p.isRequest ? { instead: undefined } : {}),
    }),
  ),
  'test-datasource': error(
    { name: 'text', nearest: 'suggestion', known: 'text', expected: words('db', 'rest') },
    (p: UnknownName & { expected: 'db' | 'rest'; isOther: boolean }) => ({
      message: p.isOther
        ? `'${p.name}' is not a ${p.expected === 'db' ? 'database' : 'third-party API'}.`
        : `Unknown datasource '${p.name}'.`,
      ...suggestion(p, 'datasources of this type'),
    }),
  ),
  'test-trigger': error(
    { name: 'text', nearest: 'suggestion', known: 'text', operations: 'text' },
    (p: UnknownName & { operations: readonly string[] }) => ({
      message:
        p.operations.length > 1
          ? `Several operations have a trigger '${p.name}'.`
          : `Unknown trigger '${p.name}'.`,
      ...(p.operations.length > 1
        ? { hint: `Write the operation too: operationName: ${p.operations[0] ?? ''}` }
        : suggestion(p, 'triggers')),
    }),
  ),
  'test-action': error(
    { what: 'sentence', written: 'text' },
    (p: { what: string; written: readonly string[]; isList: boolean }) => ({
      message:
        p.written.length === 0
          ? `${p.what} does nothing.`
          : p.written.includes('steps')
            ? `${p.what} has steps, so ${quotedList(p.written.filter((field) => field !== 'steps'))} must be in one of them.`
            : `${p.what} has ${quotedList(p.written)}, but only one of them is allowed.`,
      hint:
        p.written.length === 0
          ? `Add one of request, operationName, tool, trigger${p.isList ? ' or steps' : ''}: for example request: GET /news`
          : p.written.includes('steps')
            ? "Move it below 'steps': into the step that it is for."
            : "Write one after the other as 'steps', for example: steps: [{ request: POST /news }, { request: GET /news }]",
    }),
  ),
  'test-value': error(
    { problem: 'sentence', hint: 'sentence', instead: 'text' },
    (p: { problem: string; hint: string; instead?: string | undefined }) => ({
      message: p.problem,
      hint: p.hint,
      instead: p.instead,
    }),
  ),
  'test-variable': error(
    { name: 'text', passing: 'word', nearest: 'suggestion' },
    (p: { name: string; passing: string; nearest: string | undefined }) => ({
      message:
        p.passing === 'tester'
          ? `'${p.name}' is set by apikiln test.`
          : p.passing === 'interpreted'
            ? `'${p.name}' is not passed to the service: it changes the behavior of programs and libraries.`
            : `'${p.name}' is not a setting of the service, and the configuration does not declare it.`,
      ...(p.passing === 'unknown'
        ? meantOr(p.nearest, `Remove it, or read it in the configuration: \${${p.name}} or ENV(${p.name}).`)
        : { hint: 'Remove it.' }),
    }),
  ),
  'test-file': error({ path: 'text', problem: 'sentence' }, (p: { path: string; problem: string }) => ({
    message: `The file '${p.path}' ${p.problem}.`,
    hint: 'Put it into the folder of the test file or a folder below, and write its path from there.',
  })),
  'undescribed-stub': warning(
    { subject: 'text', instead: 'text', yamlInstead: 'text', hint: 'sentence', problem: 'sentence' },
    (p: Omit<Wording, 'message' | 'ifShared'> & { problem: string }) => ({
      ...p,
      message: p.problem,
    }),
  ),
};
