/** Results as people read them: failures with their position, the differences, and what the operation did. */
import type { Colours } from '../../../read/diagnostics/print/print-diagnostic.js';
import { position } from '../../../read/source.js';
import { callLines } from './print-steps.js';
import type { TestFailure, TestResult } from '../test-result.js';
import { counted } from '../../../read/diagnostics/quoted-list.js';

/** A result in a line, and below it why it failed. */
export function resultLines({ test, failures, milliseconds }: TestResult, colours: Colours): string[] {
  const time = colours.dim(`(${Math.round(milliseconds)} ms)`);
  if (failures.length === 0) return [`✓ ${test.name.value} ${time}`];
  const [first] = failures;
  return [
    `${colours.red('✗')} ${colours.bold(test.name.value)} ${time}`,
    ...failures.flatMap(failureLines),
    ...(first === undefined
      ? []
      : [...callLines(first.traces), ...first.log.slice(0, maxLog)].map(
          (line) => `      ${colours.dim(line)}`,
        )),
  ];
}

const maxLog = 10;

function failureLines({ span, path, message, step }: TestFailure): string[] {
  const { line, column } = position(span.source, span.start);
  const where = `${span.source.path}:${line}:${column}`;
  return [
    `    ${where}${step === undefined ? '' : ` (${step})`}`,
    `      ${path === undefined ? '' : `${path}: `}${message}`,
  ];
}

/** `3 tests passed, 1 failed (0.8 s)` */
export function totalLine(results: readonly TestResult[], milliseconds: number, colours: Colours): string {
  const failed = results.filter(({ failures }) => failures.length > 0).length;
  const passed = results.length - failed;
  const text = `${counted(passed, 'test')} passed${failed === 0 ? '' : `, ${failed} failed`}`;
  return `${failed === 0 ? colours.bold(text) : colours.red(text)} ${colours.dim(`(${(milliseconds / 1000).toFixed(1)} s)`)}`;
}
