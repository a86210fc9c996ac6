/** The outcome of a test. */
import type { Trace } from '../../../runtime/trace/steps.js';
import type { Span } from '../../read/source.js';
import type { Change } from './compare-values.js';
import type { ConfigTest, TestFile } from './read/test-model.js';

export interface TestResult {
  readonly file: TestFile;
  readonly test: ConfigTest;
  /** No failures: passed. */
  readonly failures: readonly TestFailure[];
  readonly milliseconds: number;
}

export interface TestFailure {
  /** The name of the step, where the test has several. */
  readonly step: string | undefined;
  /** Where in the test file. */
  readonly span: Span;
  /** `$.items[2].name`, where a value is meant. */
  readonly path: string | undefined;
  readonly message: string;
  /** What --update would write. */
  readonly change: Change | undefined;
  /** What the calls of the step did; the same for all failures of the step. */
  readonly traces: readonly Trace[];
  /** What the service has logged meanwhile. */
  readonly log: readonly string[];
}
