/** The context of the readers of test files: the configuration, the files next to it, and the report. */
import type { Config } from '../../../read/config/config-model.js';
import type { ThirdParty } from '../../../read/openapi/third-party/third-party.js';
import type { Severities } from '../../../read/diagnostics/diagnostic.js';
import type { Report } from '../../../read/diagnostics/report.js';

export interface TestScope extends StubScope {
  readonly config: Config;
  /** Whether pages that are not operations may respond to requests. */
  readonly hasOwnPages: boolean;
  /** The variables that user code reads; undefined where it is not known. */
  readonly variables: ReadonlySet<string> | undefined;
  /** Why a file is not read that the test file names, in words after its path. */
  readonly problemOfFile: (path: string) => string | undefined;
}

/** The files next to the configuration. */
export interface BesideTests {
  /** The descriptions of third parties, by the name of the datasource. */
  readonly thirdParties?: ReadonlyMap<string, ThirdParty>;
  /** Severities that the user has set. */
  readonly severities?: Severities | undefined;
  readonly hasOwnPages?: boolean;
  /** The variables that user code reads. */
  readonly variables?: ReadonlySet<string>;
  /** Why a file named in a test file is not read, in words after its path. `beside`: the path of the test file. */
  readonly problemOfFile?: (path: string, beside: string) => string | undefined;
}

/** The part of the context that stubs of third parties need. */
export interface StubScope {
  readonly config: Pick<Config, 'datasources'>;
  readonly report: Report;
  /** The descriptions of third parties, by the name of the datasource. */
  readonly thirdParties: ReadonlyMap<string, ThirdParty>;
}
