/** Reads a stub file of `apikiln dev`: third parties, in the notation of test files. */
import { readDisableComments } from '../../../analyze/check/disable-comments.js';
import type { Datasource } from '../../../read/config/config-model.js';
import { Fields } from '../../../read/config/fields.js';
import { isBroken, isEmpty, type MapNode } from '../../../read/config/yaml/node.js';
import { readYaml } from '../../../read/config/yaml/yaml-document.js';
import type { Diagnostic } from '../../../read/diagnostics/diagnostic.js';
import { Report } from '../../../read/diagnostics/report.js';
import type { Source } from '../../../read/source.js';
import { readStubs } from './read-stubs.js';
import { testFields } from './test-fields.js';
import type { BesideTests } from './test-scope.js';
import type { Stub } from './test-model.js';

export interface ReadStubs {
  readonly stubs: readonly Stub[];
  /** Undefined if the file is not a map. */
  readonly root: MapNode | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads the field `datasources` of `config.stubs.yaml`. */
export function readStubFile(
  source: Source,
  datasources: readonly Datasource[],
  { thirdParties = new Map(), severities }: BesideTests = {},
): ReadStubs {
  const report = new Report(severities);
  readDisableComments(source, report);
  const root = readYaml(source, report);
  if (root?.kind !== 'map') {
    if (root !== undefined && !isBroken(root) && !isEmpty(root))
      report.add(
        'wrong-kind',
        { source, start: 0, end: 0 },
        { what: 'A file of stubs', expected: 'a map with the field datasources', example: 'datasources:' },
      );
    return { stubs: [], root: undefined, diagnostics: report.diagnostics };
  }
  const fields = new Fields(
    'A file of stubs',
    root,
    { datasources: testFields['a test'].datasources },
    report,
  );
  const stubs = readStubs(fields.section('datasources'), { config: { datasources }, report, thirdParties });
  return { stubs, root, diagnostics: report.diagnostics };
}
