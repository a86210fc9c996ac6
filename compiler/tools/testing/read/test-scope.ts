/** The context of test file readers: the configuration, files next to it, and the report. */
import type { Config } from '../../../read/config/config-model.js';
import type { ThirdParty } from '../../../read/openapi/third-party/third-party.js';
import type { Severities } from '../../../read/diagnostics/diagnostic.js';
import type { Report } from '../../../read/diagnostics/report.js';

export interface TestScope extends StubScope {
  readonly config: Config;
  /** Whether pages outside of operations may respond to requests. */
  readonly hasOwnPages: boolean;
  /** Variables that user code reads; undefined if unknown. */
  readonly variables: ReadonlySet<string> | undefined;
  /** Why a file named in the test file is not read, phrased to follow its path. */
  readonly problemOfFile: (path: string) => string | undefined;
}

/** Facts from files next to the configuration. */
export interface BesideTests {
  /** Third-party descriptions, by datasource name. */
  readonly thirdParties?: ReadonlyMap<string, ThirdParty>;
  /** Severities set by the user. */
  readonly severities?: Severities | undefined;
  readonly hasOwnPages?: boolean;
  /** Variables that user code reads. */
  readonly variables?: ReadonlySet<string>;
  /** Why a file named in a test file is not read, phrased to follow its path. `beside` is the path of the test file. */
  readonly problemOfFile?: (path: string, beside: string) => string | undefined;
}

/** The part of the context needed by third-party stubs. */
export interface StubScope {
  readonly config: Pick<Config, 'datasources'>;
  readonly report: Report;
  /** Third-party descriptions, by datasource name. */
  readonly thirdParties: ReadonlyMap<string, ThirdParty>;
}
