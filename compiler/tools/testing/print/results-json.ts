/** Results as JSON. */
import { position } from '../../../read/source.js';
import type { TestResult } from '../test-result.js';

export function jsonOfResults(results: readonly TestResult[]): object[] {
  return results.map(({ file, test, failures, milliseconds }) => ({
    name: test.name.value,
    file: file.source.path,
    line: position(file.source, test.name.span.start).line,
    status: failures.length === 0 ? 'passed' : 'failed',
    milliseconds: Math.round(milliseconds),
    failures: failures.map(({ step, span, path, message, traces, log }) => ({
      ...(step === undefined ? {} : { step }),
      ...(path === undefined ? {} : { path }),
      message,
      ...position(file.source, span.start),
      traces,
      log,
    })),
  }));
}
