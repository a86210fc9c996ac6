/** What the readers of test files look up, and where they report. */
import type { Config } from '../config/config-model.js';
import type { Report } from '../diagnostics/report.js';

export interface TestScope {
  readonly config: Config;
  readonly report: Report;
  /** Whether requests may be answered by pages that are not operations. */
  readonly hasOwnPages: boolean;
}

/** What stubs of third parties need of it. */
export interface StubScope {
  readonly config: Pick<Config, 'datasources'>;
  readonly report: Report;
}
