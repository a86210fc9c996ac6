/** The pipeline: turns the text of a configuration into the files of a service, or reports diagnostics. */
import type { Assets } from './generate/assets.js';
import type { ClientPlan } from './generate/plan/client/client-plan.js';
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
import type { ApiDescription, ApiEndpoint } from './read/openapi/api-model.js';
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
import { planTools } from './generate/plan/tools-plan.js';
import type { Source } from './read/source.js';

export interface Input {
  readonly config: Source;
  /** Finds the files that match a pattern of `include`; without this function, no pattern matches. */
  readonly include?: FindIncluded;
  /** The API description, if any. */
  readonly description?: DescriptionInput;
  /** Lowercase names of the headers that the service's `src/middleware.ts` sets. */
  readonly ownHeaders?: ReadonlySet<string>;
  /** Reads a third party's description by its file name next to the configuration; undefined if the file does not exist. */
  readonly thirdParty?: FindThirdParty;
  /** Cache of third-party descriptions, used if there is no compilation cache. */
  readonly thirdPartyCache?: ThirdPartyCache;
  /** Whether user code imports the context module that a build generates for it. */
  readonly hasOwnRoutes?: boolean;
  /** Imports of the runtime and of packages in user code such as `src/app.ts`. Only needed to write a service. */
  readonly ownImports?: () => readonly ImportDeclaration[];
  /** The platform of the service; `docker` by default. */
  readonly target?: Target;
  /** Additional Kubernetes objects. */
  readonly extras?: readonly KubernetesExtra[];
  /** The source of the runtime package. */
  readonly runtimeSource?: RuntimeSource;
  /** The name of the service; `service` by default. */
  readonly name?: string;
  /** Severities set by the user. Errors that make generation impossible are not affected. */
  readonly severities?: Severities | undefined;
  /** Whether to add the test page even without `settings.debug`, for a service under development. */
  readonly withTestPage?: boolean;
  /** Whether the service runs immediately on this machine, so that nobody reads its modules. */
  readonly runsHere?: boolean;
  /** Whether the result includes the configuration, which can take a lot of memory. */
  readonly keepsConfig?: boolean;
  /** Plans a client of the service: the planner is passed in, because most compilations do not need it. */
  readonly planClient?: (service: CheckedService, configName: string) => ClientPlan;
  /** Whether to compile for `apikiln test`: handlers count their steps, and the result includes the configuration and the plan. */
  readonly forTests?: boolean;
}

export interface Compilation {
  readonly diagnostics: readonly Diagnostic[];
  /** Undefined if there are errors. */
  readonly files: readonly GeneratedFile[] | undefined;
  /** The plan of a client; undefined if there are errors, or if the input does not plan it. */
  readonly clientPlan: ClientPlan | undefined;
  /** Operations with timers; empty if there are errors. */
  readonly timed: readonly Pick<ServicePlan['operations'][number], 'name' | 'triggers'>[];
  /** Third-party descriptions, by datasource name. */
  readonly thirdParties: Beside['thirdParties'];
  /** The readable part of the configuration; undefined if the input does not ask for it. */
  readonly config: Config | undefined;
  /** The endpoints of the API description by the names of operations; empty if the input does not ask for the configuration. */
  readonly endpoints: ReadonlyMap<string, ApiEndpoint>;
  /** Of a service for tests without errors. */
  readonly plan: ServicePlan | undefined;
  /** Steps counted by the handlers of a service under test. */
  readonly points: readonly CoverPoint[];
}

export interface Examined {
  readonly diagnostics: readonly Diagnostic[];
  /** Undefined if there are errors. */
  readonly service: CheckedService | undefined;
  /** The readable part of the configuration, even if there are errors; undefined if nothing could be read. */
  readonly analysis: Analysis | undefined;
}

interface ParsedInput {
  readonly report: Report;
  /** Undefined if the file could not be read at all. */
  readonly config: Config | undefined;
  readonly description: ApiDescription | undefined;
  readonly beside: Beside;
  /** Groups of operations that call each other, kept by the compilation cache if there is one. */
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

/** Runs the stages that only need the configuration. `cache` comes from earlier compilations. */
export function checkSource(input: Input, cache?: CompilationCache): Examined {
  return examine(input, read(input, cache), noDescriptions, cache);
}

/** Checks the configuration, including its statements against the databases' descriptions. */
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
  // If the description was only partly read, whatever seems to be missing may be in its unreadable part.
  const isWhole = input.description === undefined || description?.isIncomplete === false;
  const service = check(analysis, report, isWhole ? 'all' : 'configuration', cache?.part(VisitsCache));
  reportUnneededComments(report, descriptions !== noDescriptions);
  const { diagnostics } = report;
  // The user can raise warnings to errors.
  const isRefused = diagnostics.some(({ severity }) => severity === 'error');
  return { diagnostics, service: isRefused ? undefined : service, analysis };
}

/**
 * Deterministic: the output depends only on the input, the assets and the databases' results, not on clock, environment or working
 * directory. `cache`, kept from earlier builds, only affects speed.
 */
export async function compile(
  input: Input,
  assets: Assets,
  cache?: CompilationCache,
  databases?: Databases,
): Promise<Compilation> {
  const { planned, options, ...found } = await planInput(input, cache, databases);
  if (planned === undefined) return { ...found, files: undefined, plan: undefined, timed: [], points: [] };
  // Imported lazily: not needed if the configuration has errors.
  const { emit } = await import('./generate/emit/emit.js');
  const points =
    input.forTests === true ? new (await import('./generate/emit/cover-points.js')).CoverPoints() : undefined;
  const files = await emit(planned, assets, { ...options, points }, cache);
  const timed = timedIn(planned);
  return { ...found, files, plan: points && planned, timed, points: points?.all ?? [] };
}

interface Planned extends Pick<Compilation, 'diagnostics' | 'config' | 'endpoints' | 'thirdParties'> {
  /** Undefined when there are errors. */
  readonly planned: ServicePlan | undefined;
  readonly clientPlan: ClientPlan | undefined;
  readonly options: EmitOptions;
}

/** A separate function, so that the memory of the analysis is released before the output is generated. */
async function planInput(
  input: Input,
  cache: CompilationCache | undefined,
  databases: Databases | undefined,
): Promise<Planned> {
  const { diagnostics, service, analysis } =
    databases === undefined ? checkSource(input, cache) : await checkWithDatabases(input, databases, cache);
  const { forTests = false, keepsConfig = forTests } = input;
  const config = keepsConfig ? analysis?.config : undefined;
  const endpoints = new Map(
    (config === undefined ? [] : (analysis?.operations ?? [])).flatMap(({ operation, endpoint }) =>
      endpoint === undefined ? [] : [[operation.name.value, endpoint] as const],
    ),
  );
  const found = { diagnostics, config, endpoints, thirdParties: analysis?.beside.thirdParties ?? new Map() };
  if (service === undefined) return { ...found, planned: undefined, clientPlan: undefined, options: {} };
  const { target, extras, name, runtimeSource, runsHere = forTests, hasOwnRoutes = false } = input;
  const description = servedOf(service);
  const ownImports = input.ownImports?.();
  const ownRoutes = hasOwnRoutes ? planOwnRoutes(service) : undefined;
  const planned = plan(service, cache?.part(PlansCache));
  const tools = planTools(service, planned);
  const options = {
    ...{ target, extras, name, runtimeSource, ownImports, ownRoutes, tools, description, runsHere },
  };
  const clientPlan = input.planClient?.(service, planned.configName);
  return { ...found, planned, clientPlan, options };
}

/** The API description shown on the test page; undefined without a test page. */
function servedOf({ analysis }: CheckedService): string | undefined {
  const { config, description } = analysis;
  // References that only the test page shows are not checked: dangling references stay unchanged.
  const { debug, apiDocs } = config.settings;
  return debug || apiDocs ? servedDescription(config, description, knownValues(analysis)) : undefined;
}

function timedIn({ operations }: ServicePlan): Compilation['timed'] {
  return operations.flatMap(({ name, triggers }) => (triggers.length === 0 ? [] : [{ name, triggers }]));
}
