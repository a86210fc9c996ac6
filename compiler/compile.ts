/** The way through: a configuration's text becomes the files of a service, or diagnostics say why not. */
import type { Assets } from './assets.js';
import { check } from './check/check.js';
import { readConfig } from './config/read-config.js';
import type { Diagnostic } from './diagnostics/diagnostic.js';
import { Report } from './diagnostics/report.js';
import { emit } from './emit/emit.js';
import type { GeneratedFile } from './emit/file.js';
import type { Target } from './emit/target.js';
import type { DescriptionInput } from './openapi/documents.js';
import { readDescription } from './openapi/read-description.js';
import { servedDescription } from './openapi/served.js';
import { plan } from './plan/plan.js';
import type { Source } from './source.js';

export interface Input {
  readonly config: Source;
  /** The API description, where there is one. */
  readonly description?: DescriptionInput;
  /** Where the service is to run; `docker` when it is left out. */
  readonly target?: Target;
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
  const description = input.description && readDescription(input.description, report);
  if (config !== undefined) check(config, report, description);
  const files =
    config === undefined || report.hasErrors
      ? undefined
      : await emit(plan(config, description), assets, {
          target: input.target,
          description: config.settings.debug ? servedDescription(config, input.description) : undefined,
        });
  return { diagnostics: report.diagnostics, files };
}
