/** Reads a configuration and checks its SQL, as every compilation does before the analysis. */
import { checkStatements } from '../../compiler/analyze/check/sql/check-statements.js';
import type { Config } from '../../compiler/read/config/config-model.js';
import type { ConfigFiles } from '../../compiler/read/config/include/included-files.js';
import { readConfig } from '../../compiler/read/config/read-config.js';
import type { Report } from '../../compiler/read/diagnostics/report.js';

export function readWithSql(text: string, report: Report, files?: ConfigFiles): Config | undefined {
  const config = readConfig({ path: 'config.yaml', text }, report, files);
  return config && checkStatements(config, report);
}
