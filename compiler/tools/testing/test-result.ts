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
  /** The change that --update would write. */
  readonly change: Change | undefined;
  /** The traces of the step's calls; all failures of the step have the same ones. */
  readonly traces: readonly Trace[];
  /** The lines that the service has logged meanwhile. */
  readonly log: readonly string[];
}
