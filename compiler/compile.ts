/** The way through: a configuration's text becomes the files of a service, or diagnostics say why not. */
import type { Assets } from './assets.js';
import { check } from './check/check.js';
import { readConfig } from './config/read-config.js';
import type { Diagnostic } from './diagnostics/diagnostic.js';
import { Report } from './diagnostics/report.js';
import { emit } from './emit/emit.js';
import type { GeneratedFile } from './emit/file.js';
import type { ApiDescription } from './openapi/model.js';
import { plan } from './plan/plan.js';
import type { Source } from './source.js';

export interface Input {
  readonly config: Source;
  /** The path of an API description that lies beside it. */
  readonly descriptionPath?: string;
  readonly description?: ApiDescription;
}

export interface Compilation {
  readonly diagnostics: readonly Diagnostic[];
  /** Undefined when there are errors. */
  readonly files: readonly GeneratedFile[] | undefined;
}

/** Same input and assets, same result: no clock, environment or working directory in it. */
export async function compile(input: Input, assets: Assets): Promise<Compilation> {
  const report = new Report();
  const config = readConfig(input.config, report);
  if (config !== undefined) check(config, report, input.description);
  if (input.descriptionPath !== undefined) {
    report.add(
      'description-not-used',
      { source: input.config, start: 0, end: 0 },
      { path: input.descriptionPath },
    );
  }
  const files =
    config === undefined || report.hasErrors
      ? undefined
      : await emit(plan(config, input.description), assets);
  return { diagnostics: report.diagnostics, files };
}
