/** The other way through: a configuration's text becomes an API description, or diagnostics say why not. */
import { Analysis } from './analyze/analysis.js';
import { check } from './check/check-config.js';
import { readDisableComments } from './check/disable-comments.js';
import { readConfig } from './config/read-config.js';
import { printYaml } from './config/yaml-print.js';
import type { Diagnostic } from './diagnostics/diagnostic.js';
import { Report } from './diagnostics/report.js';
import { generateDescription } from './openapi/generate.js';
import type { Source } from './source.js';

export interface Description {
  readonly diagnostics: readonly Diagnostic[];
  /** OpenAPI 3.1; undefined when there are errors. */
  readonly text: string | undefined;
}

/** Same source, same text. */
export function describe(config: Source, format: 'json' | 'yaml'): Description {
  const report = new Report();
  readDisableComments(config, report);
  const read = readConfig(config, report);
  // That there is no description yet is why one is generated; it has the mapped models, and leaves the bodies open.
  // It declares what the parameters are whose parts are read, too.
  if (read !== undefined) check(new Analysis(read, undefined, report.errors), report, 'all but absence');
  const { diagnostics } = report;
  if (read === undefined || report.hasErrors) return { diagnostics, text: undefined };
  const description = generateDescription(read);
  const text = format === 'yaml' ? printYaml(description) : `${JSON.stringify(description, null, 2)}\n`;
  return { diagnostics, text };
}
