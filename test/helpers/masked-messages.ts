/** Renders messages as if every word in them were part of a secret, for every word that their parameters can contain. */
import { vi } from 'vitest';
import { noColours } from '../../compiler/notation/screen-writer.js';
import { Aliases } from '../../compiler/read/diagnostics/aliases.js';
import type { Finding } from '../../compiler/read/diagnostics/finding.js';
import { finish } from '../../compiler/read/diagnostics/finish.js';
import { Words, type Mark } from '../../compiler/read/diagnostics/marks.js';
import { printGithub } from '../../compiler/read/diagnostics/print/print-github.js';
import { printSarif } from '../../compiler/read/diagnostics/print/print-sarif.js';
import { printText } from '../../compiler/read/diagnostics/print/print-diagnostic.js';
import { Report } from '../../compiler/read/diagnostics/report.js';
import type { Span } from '../../compiler/read/source.js';
import { printJson } from './print-json.js';

/** The result of `run`, and all findings reported meanwhile. */
export async function withFindings<T>(
  run: () => T | Promise<T>,
): Promise<{ result: T; findings: Finding[] }> {
  const spy = vi.spyOn(Report.prototype, 'addFinding');
  try {
    const result = await run();
    return { result, findings: spy.mock.calls.map(([finding]) => finding) };
  } finally {
    spy.mockRestore();
  }
}

/** Messages of the finding in which masking has removed one of the compiler's own words; empty if there are none. */
export function lostWords(finding: Finding): string[] {
  const parameters: unknown = finding.parameters[0];
  const { marks } = finding.entry;
  // A message with a fact mark depends on one syntax, so its parameters are not varied.
  const choices = Object.values(marks).includes('fact') ? [] : choicesOf(parameters, marks);
  const shown = (changed: unknown): string[] => maskedIn({ ...finding, parameters: given(changed) });
  const unmasked = (changed: unknown): string => wordingOf({ ...finding, parameters: given(changed) });
  const problems = shown(parameters).filter((text) => isBroken(text, unmasked(parameters)));
  for (const choice of choices) {
    const rendered = choice.map((changed) => ({
      plain: unmasked(changed),
      masked: shown(changed),
    }));
    for (const { plain, masked } of rendered) {
      problems.push(...masked.filter((text) => isBroken(text, plain)));
      for (const other of rendered)
        if (other.plain !== plain && other.masked.some((text, index) => text === masked[index]))
          problems.push(`The same for two words: ${masked[0] ?? ''}`);
    }
  }
  return problems.map((problem) => `${finding.code}: ${problem}`);
}

function given(parameters: unknown): readonly never[] {
  return (parameters === undefined ? [] : [parameters]) as readonly unknown[] as readonly never[];
}

function isBroken(masked: string, plain: string): boolean {
  return ['undefined', 'NaN', '[object '].some((word) => masked.includes(word) && !plain.includes(word));
}

/** For each parameter that is one of a list of words, or a boolean: the parameters with each possible value. */
function choicesOf(value: unknown, mark: Mark | undefined): unknown[][] {
  if (mark instanceof Words) return [[...mark.all]];
  if (typeof value === 'boolean') return [[true, false]];
  if (mark === undefined || typeof mark === 'string' || typeof value !== 'object' || value === null)
    return [];
  return Object.entries(value).flatMap(([name, field]: [string, unknown]) =>
    choicesOf(field, mark[name]).map((choices) => choices.map((choice) => ({ ...value, [name]: choice }))),
  );
}

function wordingOf({ entry, parameters }: Finding): string {
  const { message, hint = '' } = entry.wordingOf(...parameters);
  return `${message} ${hint}`;
}

const beginning = 'specification: "1.0"\nauthentications:\n  a:\n    type: basicauth\n    password: ';

/** The messages in all four formats, about the secret itself and about another part of the file. */
function maskedIn(finding: Finding): string[] {
  const words = JSON.stringify(finding.parameters, (name, value: unknown) =>
    name === 'source' ? '' : value,
  );
  const secret = `${wordingOf(finding)} ${words}`.match(/[\p{L}\p{N}_]+/gu) ?? [];
  const source = { path: 'c.yaml', text: `${beginning}${secret.join(' ')}\n` };
  const spans: Span[] = [
    { source, start: beginning.length, end: source.text.length - 1 },
    { source, start: 0, end: 13 },
  ];
  return spans.flatMap((span) => {
    const diagnostics = finish([{ ...finding, span }], {
      severities: new Map(),
      disabled: undefined,
      aliases: new Aliases(),
      isIncomplete: () => false,
    });
    return diagnostics.flatMap((diagnostic) => [
      printText(diagnostic, noColours),
      printJson([diagnostic]),
      printSarif([diagnostic], new Map(), '1.0.0'),
      printGithub(diagnostic),
    ]);
  });
}
