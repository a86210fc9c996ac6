/** Errors shown by the overlay of the test page. */
import { noColours } from '../../notation/screen-writer.js';
import { printText, summary } from '../../read/diagnostics/print/print-diagnostic.js';
import type { Diagnostic } from '../../read/diagnostics/diagnostic.js';

export interface Problem {
  /** Position, severity and message. */
  readonly head: string;
  /** Source lines; may be empty. */
  readonly frame: string;
  /** The suggestion; may be empty. */
  readonly hint: string;
}

/** Problems with a common heading. */
export interface Problems {
  readonly title: string;
  readonly note: string;
  readonly problems: readonly Problem[];
}

/** Maximum number of problems shown. */
const maxShown = 50;

/** The errors among the diagnostics. */
export function problemsOf(diagnostics: readonly Diagnostic[]): Problems {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  return {
    title: summary(errors),
    note: 'The last version without errors keeps running.',
    problems: errors.slice(0, maxShown).map((diagnostic) => {
      const [head = '', ...lines] = printText(diagnostic, noColours).split('\n');
      const hint = diagnostic.hint === undefined ? '' : (lines.pop() ?? '').trim();
      return { head, frame: lines.join('\n'), hint };
    }),
  };
}

/** A failure outside of the configuration, as one problem of several lines. */
export function failureOf(title: string, lines: readonly string[]): Problems {
  const [head = title, ...others] = lines;
  return {
    title,
    note: 'The last version that started keeps running.',
    problems: [{ head, frame: others.join('\n'), hint: '' }],
  };
}
