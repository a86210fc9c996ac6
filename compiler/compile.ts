/** The pipeline: a configuration's text becomes the files of a service, or diagnostics report why not. */
import type { Assets } from './generate/assets.js';
import { Analysis, type Beside } from './analyze/operations/analysis.js';
import { knownValues } from './analyze/describe/values-for-description.js';
import {
  noDescriptions,
  type AskedStatement,
  type StatementDescriptions,
  type Databases,
} from './analyze/operations/statements/statement-descriptions.js';
import { AnalysesCache, type KeptGroups } from './analyze/operations/analyses-cache.js';
import { check } from './analyze/check/check-config.js';
import { checkStatements, StatementChecks } from './analyze/check/sql/check-statements.js';
import type { CheckedService } from './analyze/check/checked.js';
import { readDisableComments, reportUnneededComments } from './analyze/check/disable-comments.js';
import type { Config } from './read/config/config-model.js';
import { VisitsCache } from './analyze/check/visits-cache.js';
import { oneFile, type ConfigFiles, type FindIncluded } from './read/config/include/included-files.js';
import { ConfigCache, readKept } from './read/config/config-cache.js';
import type { Diagnostic, Severities } from './read/diagnostics/diagnostic.js';
import { Report } from './read/diagnostics/report.js';
import type { CoverPoint } from './generate/emit/cover-points.js';
import type { GeneratedFile } from './generate/emit/module/file.js';
import type { CompilationCache } from './generate/emit/compilation-cache.js';
import type { EmitOptions } from './generate/emit/emit.js';
import type { ImportDeclaration } from './generate/emit/module/imports.js';
import type { KubernetesExtra, RuntimeSource, Target } from './generate/emit/service/target.js';
import type { ApiDescription } from './read/openapi/api-model.js';
import type { DescriptionInput } from './read/openapi/documents.js';
import { DescriptionCache, readKeptDescription } from './read/openapi/description-cache.js';
import { reportInlineSchemas } from './read/openapi/inline-schema.js';
import {
  readThirdParties,
  ThirdPartyCache,
  type FindThirdParty,
} from './read/openapi/third-party/named-descriptions.js';
import { servedDescription } from './analyze/describe/served.js';
import { PlansCache } from './generate/plan/plans-cache.js';
import { planOwnRoutes } from './generate/plan/requests/own-routes-plan.js';
import { plan, type ServicePlan } from './generate/plan/plan.js';
import type { Source } from './read/source.js';

export interface Input {
  readonly config: Source;
  /** The files that match a pattern of `include`; without it there are none. */
  readonly include?: FindIncluded;
  /** The API description, where there is one. */
  readonly description?: DescriptionInput;
  /** The names of headers that `src/middleware.ts` of the service sets, in small letters. */
  readonly ownHeaders?: ReadonlySet<string>;
  /** The file of this name next to the configuration, for descriptions of third parties; undefined if it does not exist. */
  readonly thirdParty?: FindThirdParty;
  /** The cache for these descriptions if there is no cache of compilations. */
  readonly thirdPartyCache?: ThirdPartyCache;
  /** Whether user code imports the module that a build adds for it. */
  readonly hasOwnRoutes?: boolean;
  /** Imports in user code, such as `src/app.ts`, of the runtime and of packages. Needed only for writing a service. */
  readonly ownImports?: () => readonly ImportDeclaration[];
  /** Where the service is to run; `docker` when it is left out. */
  readonly target?: Target;
  /** Further objects of Kubernetes. */
  readonly extras?: readonly KubernetesExtra[];
  /** Where the service gets the runtime. */
  readonly runtimeSource?: RuntimeSource;
  /** The name of the service; `service` when it is left out. */
  readonly name?: string;
  /** Severities that the user has set; they never concern errors without which nothing can be generated. */
  readonly severities?: Severities | undefined;
  /** With the test page, even without `settings.debug`: for a service under development. */
  readonly withTestPage?: boolean;
  /** For a service that runs immediately on this machine, whose modules are not read by people. */
  readonly runsHere?: boolean;
  /** Whether the compilation has the configuration too: a large one takes much memory. */
  readonly keepsConfig?: boolean;
  /** For `apikiln test`: the same handlers, which count their steps. The compilation has the configuration and the plan. */
  readonly forTests?: boolean;
}

export interface Compilation {
  readonly diagnostics: readonly Diagnostic[];
  /** Undefined when there are errors. */
  readonly files: readonly GeneratedFile[] | undefined;
  /** The operations with timers; empty if there are errors. */
  readonly timed: readonly Pick<ServicePlan['operations'][number], 'name' | 'triggers'>[];
  /** The descriptions of third parties, by the name of the datasource. */
  readonly thirdParties: Beside['thirdParties'];
  /** The readable part of the configuration; undefined if the input does not ask for it. */
  readonly config: Config | undefined;
  /** Of a service for tests without errors. */
  readonly plan: ServicePlan | undefined;
  /** The steps that the handlers of a service for tests count. */
  readonly points: readonly CoverPoint[];
}

export interface Examined {
  readonly diagnostics: readonly Diagnostic[];
  /** Undefined when there are errors. */
  readonly service: CheckedService | undefined;
  /** The part of the configuration that could be read, even where there are errors; undefined when nothing could be. */
  readonly analysis: Analysis | undefined;
}

interface ParsedInput {
  readonly report: Report;
  /** Undefined when nothing of the file could be read. */
  readonly config: Config | undefined;
  readonly description: ApiDescription | undefined;
  readonly beside: Beside;
  /** The operations that call each other, where they are kept. */
  readonly groups: KeptGroups | undefined;
}

function read(input: Input, cache: CompilationCache | undefined): ParsedInput {
  const report = new Report(input.severities);
  const files: ConfigFiles = {
    find: input.include ?? oneFile.find,
    begin: (source) => {
      readDisableComments(source, report);
    },
  };
  const { config: written, sharedParts } = readKept(input.config, report, files, cache?.part(ConfigCache));
  const checked = written && checkStatements(written, report, cache?.part(StatementChecks));
  const config =
    checked && input.withTestPage === true
      ? { ...checked, settings: { ...checked.settings, debug: true } }
      : checked;
  if (config !== undefined) reportInlineSchemas(config, report);
  const description =
    input.description && readKeptDescription(input.description, report, cache?.part(DescriptionCache));
  const { ownHeaders = new Set(), thirdParty = () => undefined, hasOwnRoutes = false } = input;
  const kept = cache?.part(ThirdPartyCache) ?? input.thirdPartyCache;
  const thirdParties = readThirdParties(config?.datasources ?? [], thirdParty, report, kept);
  const beside = { ownHeaders, thirdParties, hasOwnRoutes };
  const groups =
    config && sharedParts && cache?.part(AnalysesCache).groups(config, sharedParts, description, beside);
  return { report, config, description, beside, groups };
}

/** The stages that need only the configuration. `cache` is that of earlier compilations. */
export function checkSource(input: Input, cache?: CompilationCache): Examined {
  return examine(input, read(input, cache), noDescriptions, cache);
}

/** Checks the configuration, and its statements against the databases' descriptions. */
export async function checkWithDatabases(
  input: Input,
  databases: Databases,
  cache?: CompilationCache,
): Promise<Examined> {
  const parsed = read(input, cache);
  const { config, description, report, groups, beside } = parsed;
  if (config === undefined) return examine(input, parsed, noDescriptions, cache);
  const questions = (): AskedStatement[] =>
    groups?.questions() ??
    new Analysis(config, description, report.errors, undefined, undefined, beside).questions();
  return examine(input, parsed, await databases.ask(config.datasources, questions), cache);
}

function examine(
  input: Input,
  { report, config, description, groups, beside }: ParsedInput,
  descriptions: StatementDescriptions,
  cache: CompilationCache | undefined,
): Examined {
  if (config === undefined)
    return { diagnostics: report.diagnostics, service: undefined, analysis: undefined };
  const analysis =
    groups?.analysis(report.errors, descriptions) ??
    new Analysis(config, description, report.errors, descriptions, undefined, beside);
  // A missing part of the description may be in the part of it that could not be read.
  const isWhole = input.description === undefined || description?.isIncomplete === false;
  const service = check(analysis, report, isWhole ? 'all' : 'configuration', cache?.part(VisitsCache));
  reportUnneededComments(report, descriptions !== noDescriptions);
  const { diagnostics } = report;
  // The user may have made a warning an error.
  const isRefused = diagnostics.some(({ severity }) => severity === 'error');
  return { diagnostics, service: isRefused ? undefined : service, analysis };
}

/**
 * Same input, assets and results of databases, same output: it uses no clock, environment or working directory. `cache`, of earlier builds,
 * only changes the time.
 */
export async function compile(
  input: Input,
  assets: Assets,
  cache?: CompilationCache,
  databases?: Databases,
): Promise<Compilation> {
  const { planned, options, ...found } = await planInput(input, cache, databases);
  if (planned === undefined) return { ...found, files: undefined, plan: undefined, timed: [], points: [] };
  // Loaded here, because a configuration with errors does not need it.
  const { emit } = await import('./generate/emit/emit.js');
  const points =
    input.forTests === true ? new (await import('./generate/emit/cover-points.js')).CoverPoints() : undefined;
  const files = await emit(planned, assets, { ...options, points }, cache);
  return { ...found, files, plan: points && planned, timed: timedIn(planned), points: points?.all ?? [] };
}

interface Planned extends Pick<Compilation, 'diagnostics' | 'config' | 'thirdParties'> {
  /** Undefined when there are errors. */
  readonly planned: ServicePlan | undefined;
  readonly options: EmitOptions;
}

/** A function of its own: once it has returned, the memory of the analysis is free for the output. */
async function planInput(
  input: Input,
  cache: CompilationCache | undefined,
  databases: Databases | undefined,
): Promise<Planned> {
  const { diagnostics, service, analysis } =
    databases === undefined ? checkSource(input, cache) : await checkWithDatabases(input, databases, cache);
  const { forTests = false, keepsConfig = forTests } = input;
  const config = keepsConfig ? analysis?.config : undefined;
  const found = { diagnostics, config, thirdParties: analysis?.beside.thirdParties ?? new Map() };
  if (service === undefined) return { ...found, planned: undefined, options: {} };
  const { target, extras, name, runtimeSource, runsHere = forTests, hasOwnRoutes = false } = input;
  const description = servedOf(service);
  const ownImports = input.ownImports?.();
  const ownRoutes = hasOwnRoutes ? planOwnRoutes(service) : undefined;
  const options = { target, extras, name, runtimeSource, ownImports, ownRoutes, description, runsHere };
  return { ...found, planned: plan(service, cache?.part(PlansCache)), options };
}

/** The API description that the test page shows; undefined where there is no such page. */
function servedOf({ analysis }: CheckedService): string | undefined {
  const { config, description } = analysis;
  // References that only the test page shows are not checked: where they lead nowhere, they stay as they are.
  const { debug, apiDocs } = config.settings;
  return debug || apiDocs ? servedDescription(config, description, knownValues(analysis)) : undefined;
}

function timedIn({ operations }: ServicePlan): Compilation['timed'] {
  return operations.flatMap(({ name, triggers }) => (triggers.length === 0 ? [] : [{ name, triggers }]));
}
