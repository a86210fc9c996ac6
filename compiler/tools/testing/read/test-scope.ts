/** The context of the readers of test files: the configuration, and the report. */
import type { Config } from '../../../read/config/config-model.js';
import type { Report } from '../../../read/diagnostics/report.js';

export interface TestScope {
  readonly config: Config;
  readonly report: Report;
  /** Whether pages that are not operations may respond to requests. */
  readonly hasOwnPages: boolean;
}

/** The part of the context that stubs of third parties need. */
export interface StubScope {
  readonly config: Pick<Config, 'datasources'>;
  readonly report: Report;
}
