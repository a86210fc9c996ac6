/** What the readers of test files look up, and where they report. */
import type { Config } from '../../../read/config/config-model.js';
import type { Report } from '../../../read/diagnostics/report.js';

export interface TestScope {
  readonly config: Config;
  readonly report: Report;
  /** Whether pages that are not operations may respond to requests. */
  readonly hasOwnPages: boolean;
}

/** What stubs of third parties need of it. */
export interface StubScope {
  readonly config: Pick<Config, 'datasources'>;
  readonly report: Report;
}
