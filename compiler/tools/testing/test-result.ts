/** The outcome of a test. */
import type { Trace } from '../../../runtime/trace/steps.js';
import type { Span } from '../../read/source.js';
import type { Change } from './compare-values.js';
import type { ConfigTest, TestFile } from './read/test-model.js';

export interface TestResult {
  readonly file: TestFile;
  readonly test: ConfigTest;
  /** Empty if the test passed. */
  readonly failures: readonly TestFailure[];
  readonly milliseconds: number;
}

export interface TestFailure {
  /** Name of the step, if the test has several. */
  readonly step: string | undefined;
  /** Position in the test file. */
  readonly span: Span;
  /** Path of the value, such as `$.items[2].name`, if the failure concerns one. */
  readonly path: string | undefined;
  readonly message: string;
  /** The change that --update would write. */
  readonly change: Change | undefined;
  /** Traces of the step's calls, shared by all failures of the step. */
  readonly traces: readonly Trace[];
  /** Lines logged by the service during the step. */
  readonly log: readonly string[];
}
