/** Prints results as text: failures with position, differences, and steps of the operation. */
import { screen, type Colours, type Shown } from '../../../notation/screen-writer.js';
import { position } from '../../../read/source.js';
import { callLines } from './print-steps.js';
import type { TestFailure, TestResult } from '../test-result.js';
import { counted } from '../../../read/diagnostics/quoted-list.js';

/** One line per result, followed by the reasons of a failure. */
export function resultLines({ test, failures, milliseconds }: TestResult, colours: Colours): Shown[] {
  const time = colours.dim(screen`(${Math.round(milliseconds)} ms)`);
  if (failures.length === 0) return [screen`✓ ${screen.text(test.name.value)} ${time}`];
  const [first] = failures;
  return [
    screen`${colours.red(screen`✗`)} ${colours.bold(screen.text(test.name.value))} ${time}`,
    ...failures.flatMap(failureLines),
    ...(first === undefined
      ? []
      : [...callLines(first.traces), ...first.log.slice(0, maxLog)].map(
          (line) => screen`      ${colours.dim(screen.text(line))}`,
        )),
  ];
}

const maxLog = 10;

function failureLines({ span, path, message, step }: TestFailure): Shown[] {
  const { line, column } = position(span.source, span.start);
  const where = screen`${screen.text(span.source.path)}:${line}:${column}`;
  const shown = screen.quoted(`${path === undefined ? '' : `${path}: `}${message}`, '      ');
  return [screen`    ${where}${step === undefined ? screen`` : screen` (${screen.text(step)})`}`, shown];
}

/** A summary such as `3 tests passed, 1 failed (0.8 s)`. */
export function totalLine(results: readonly TestResult[], milliseconds: number, colours: Colours): Shown {
  const failed = results.filter(({ failures }) => failures.length > 0).length;
  const passed = results.length - failed;
  const text = screen.text(`${counted(passed, 'test')} passed${failed === 0 ? '' : `, ${failed} failed`}`);
  const time = screen`(${screen.text((milliseconds / 1000).toFixed(1))} s)`;
  return screen`${failed === 0 ? colours.bold(text) : colours.red(text)} ${colours.dim(time)}`;
}
