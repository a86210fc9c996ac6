/** The second pipeline: turns the text of a configuration into an API description, or reports diagnostics. */
import { type Written } from '../notation/written.js';
import { json } from '../notation/json-writer.js';
import { Analysis } from '../analyze/operations/analysis.js';
import { knownValues } from '../analyze/describe/values-for-description.js';
import { check } from '../analyze/check/check-config.js';
import { checkStatements } from '../analyze/check/sql/check-statements.js';
import { readDisableComments } from '../analyze/check/disable-comments.js';
import type { Databases } from '../analyze/operations/statements/statement-descriptions.js';
import type { Config } from '../read/config/config-model.js';
import { oneFile } from '../read/config/include/included-files.js';
import { readConfig } from '../read/config/read-config.js';
import { yaml } from '../notation/yaml-writer.js';
import type { Diagnostic } from '../read/diagnostics/diagnostic.js';
import { Report } from '../read/diagnostics/report.js';
import { generateDescription } from '../analyze/describe/generate.js';
import type { Source } from '../read/source.js';

export interface Description {
  readonly diagnostics: readonly Diagnostic[];
  /** OpenAPI 3.1; undefined if there are errors. */
  readonly text: Written<'json' | 'yaml'> | undefined;
}

/** Deterministic: the text depends only on the source and the databases' results. */
export async function describe(
  config: Source,
  format: 'json' | 'yaml',
  databases?: Databases,
  include = oneFile.find,
): Promise<Description> {
  const report = new Report();
  const written = readConfig(config, report, {
    find: include,
    begin: (source) => {
      readDisableComments(source, report);
    },
  });
  const read = written && checkStatements(written, report);
  // The description is generated because there is none. It contains the mapped models, leaves bodies open, and declares parameters whose
  // parts are read.
  const analysis = read && (await analyze(read, report, databases));
  if (analysis !== undefined) check(analysis, report, 'all but absence');
  const { diagnostics } = report;
  if (read === undefined || analysis === undefined || report.hasErrors)
    return { diagnostics, text: undefined };
  const description = generateDescription(read, knownValues(analysis));
  const text = format === 'yaml' ? yaml.document(description) : json.file(description);
  return { diagnostics, text };
}

async function analyze(
  config: Config,
  { errors }: Report,
  databases: Databases | undefined,
): Promise<Analysis> {
  const plain = new Analysis(config, undefined, errors);
  const descriptions = await databases?.ask(config.datasources, () => plain.questions());
  return descriptions === undefined ? plain : new Analysis(config, undefined, errors, descriptions);
}
