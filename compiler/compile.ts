/** The way through: a configuration's text becomes the files of a service, or diagnostics say why not. */
import type { Assets } from './assets.js';
import { Analysis } from './analyze/analysis.js';
import { check } from './check/check-config.js';
import { readConfig } from './config/read-config.js';
import type { Diagnostic } from './diagnostics/diagnostic.js';
import { Report } from './diagnostics/report.js';
import type { GeneratedFile } from './emit/file.js';
import type { Memory } from './emit/memory.js';
import type { Target } from './emit/target.js';
import type { DescriptionInput } from './openapi/documents.js';
import { readDescription } from './openapi/read-description.js';
import { servedDescription } from './openapi/served.js';
import { plan, type ServicePlan } from './plan/plan.js';
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

interface Examined {
  readonly diagnostics: readonly Diagnostic[];
  /** What is built when there are no errors: the plan, and the API description that the test page shows. */
  readonly sound: { readonly plan: ServicePlan; readonly served: string | undefined } | undefined;
}

/** The way as far as it can say anything of the configuration. */
export function examine(input: Input): Examined {
  const report = new Report();
  const config = readConfig(input.config, report);
  const description = input.description && readDescription(input.description, report);
  if (config === undefined) return { diagnostics: report.diagnostics, sound: undefined };
  const analysis = new Analysis(config, description, report.errors);
  // What the description lacks may stand in the part of it that could not be read.
  const isWhole = input.description === undefined || description?.isIncomplete === false;
  const checked = check(analysis, report, isWhole ? 'all' : 'configuration');
  const { diagnostics } = report;
  if (checked === undefined) return { diagnostics, sound: undefined };
  // References that only the test page shows are not checked: where they lead nowhere, they stay as they are.
  const served = config.settings.debug ? servedDescription(config, description) : undefined;
  return { diagnostics, sound: { plan: plan(checked), served } };
}

/**
 * Same input and assets, same result: no clock, environment or working directory in it. `memory`, of the builds before,
 * changes nothing but the time it takes.
 */
export async function compile(input: Input, assets: Assets, memory?: Memory): Promise<Compilation> {
  const { diagnostics, sound } = examine(input);
  if (sound === undefined) return { diagnostics, files: undefined };
  // Loaded here, because ts-morph and prettier take longer to load than most configurations to be checked.
  const { emit } = await import('./emit/emit.js');
  const options = { target: input.target, description: sound.served };
  return { diagnostics, files: await emit(sound.plan, assets, options, memory) };
}
