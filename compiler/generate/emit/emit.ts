/** Generates all output files. */
import { moduleCode } from '../../notation/typescript-writer.js';
import { copied, type Written } from '../../notation/written.js';
import type { OwnRoutesPlan } from '../plan/requests/own-routes-plan.js';
import type { ServicePlan } from '../plan/plan.js';
import type { Assets } from '../assets.js';
import { emitApi } from './service/api-module.js';
import { emitApiDescription } from './service/api-description.js';
import { emitContext } from './service/context-module.js';
import { emitAuthentications } from './service/authentications.js';
import type { CoverPoints } from './cover-points.js';
import { emitDatasources } from './service/datasources.js';
import { emitDescribed } from './service/described-module.js';
import { emitEnvironment } from './service/environment-module.js';
import { emitErrors } from './service/errors-module.js';
import { emitEnv, emitEnvExample } from './service/env-file.js';
import type { GeneratedFile } from './module/file.js';
import { emitFunctionFiles, emitFunctions } from './service/functions-module.js';
import { emitHandler } from './handler.js';
import { HandlersCache } from './handlers-cache.js';
import { packagesOf } from './service/runtime-parts.js';
import { packageOf, type ImportDeclaration } from './module/imports.js';
import { emitKubernetes } from './service/kubernetes-manifests.js';
import { emitIdempotency } from './service/idempotency-module.js';
import { emitLimits } from './service/limits-module.js';
import { emitLockFile } from './service/lock-file.js';
import { emitMain } from './service/main.js';
import { CompilationCache } from './compilation-cache.js';
import type { Module } from './module/module.js';
import { packageVersion, printManifest, servicePackage, type Manifest } from './service/package-json.js';
import { emitReadme } from './service/readme.js';
import { emitRouter } from './service/router.js';
import { emitDeferredOperations } from './service/deferred-module.js';
import { emitSchedule } from './service/schedule-module.js';
import { unnamed } from './service/service-name.js';
import { emitTools } from './service/tools-module.js';
import type { ToolsPlan } from '../plan/tools-plan.js';
import type { KubernetesExtra, RuntimeSource, Target } from './service/target.js';

/** Inputs in addition to the plan. */
export interface EmitOptions {
  readonly target?: Target | undefined;
  readonly extras?: readonly KubernetesExtra[] | undefined;
  /** The name of the service. */
  readonly name?: string | undefined;
  /** The API description shown on the test page, if any. */
  readonly description?: string | undefined;
  /**
   * Receives the coverage points of a service run by `apikiln test`, whose operations are traced and which reports the traces on request.
   */
  readonly points?: CoverPoints | undefined;
  /** The source of the runtime package. */
  readonly runtimeSource?: RuntimeSource | undefined;
  /** Plan of the context module, set if user files import it. */
  readonly ownRoutes?: OwnRoutesPlan | undefined;
  /** Plan of the endpoint of MCP clients, if the service has one. */
  readonly tools?: ToolsPlan | undefined;
  /** Imports in user files: of the runtime, and of packages whose version is known. */
  readonly ownImports?: readonly ImportDeclaration[] | undefined;
  /**
   * For a service that runs immediately on this machine: modules are not formatted, because nobody reads them, and installation files are
   * omitted.
   */
  readonly runsHere?: boolean | undefined;
}

/** The whole service. `cache` from earlier builds only affects speed. */
export async function emit(
  planned: ServicePlan,
  assets: Assets,
  {
    target = 'docker',
    extras = [],
    name = unnamed,
    ownImports = [],
    ownRoutes,
    tools,
    description,
    points,
    runsHere = false,
    runtimeSource = 'vendor',
  }: EmitOptions = {},
  cache = new CompilationCache(),
): Promise<GeneratedFile[]> {
  const plan = points === undefined ? planned : { ...planned, debug: true };
  const handlers = cache.part(HandlersCache);
  const schedule = emitSchedule(plan);
  const deferred = emitDeferredOperations(plan);
  const authentications = emitAuthentications(plan);
  const limits = emitLimits(plan);
  const idempotency = emitIdempotency(plan);
  const environment = emitEnvironment(plan);
  const errors = emitErrors(plan);
  const described = emitDescribed(plan);
  const operations =
    points === undefined
      ? handlers.handlers(plan)
      : plan.operations.map((operation) => emitHandler(operation, plan, { points }));
  const functions = emitFunctions(plan, operations);
  const main = emitMain({
    configName: plan.configName,
    version: packageVersion(plan.version),
    authentications: authentications !== undefined,
    limits: limits?.isOfService === true,
    idempotency: idempotency !== undefined,
    env: environment !== undefined,
    errors: plan.errors === 'problem' ? 'problem' : errors && 'own',
    ownCode: functions !== undefined || ownRoutes !== undefined,
    schedule: schedule !== undefined,
    outbox: plan.datasources.some((datasource) =>
      datasource.type === 'db' ? datasource.storesCalls : datasource.outbox !== undefined,
    ),
    tools: tools !== undefined,
    afterCommit: deferred !== undefined,
    description: description === undefined ? undefined : plan.apiDocs ? 'api-docs' : 'test-page',
    underTest: points && plan.operations,
  });
  const modules: Module[] = [
    main,
    emitDatasources(plan, points !== undefined),
    emitRouter(plan),
    ...(authentications === undefined ? [] : [authentications]),
    ...(limits === undefined ? [] : [limits.module]),
    ...(idempotency === undefined ? [] : [idempotency]),
    ...(environment === undefined ? [] : [environment]),
    ...(errors === undefined ? [] : [errors]),
    ...(described === undefined ? [] : [described]),
    ...(plan.api === undefined ? [] : [emitApi(plan.api, plan.configName)]),
    ...(description === undefined ? [] : [emitApiDescription(description, plan.configName)]),
    ...(schedule === undefined ? [] : [schedule]),
    ...(deferred === undefined ? [] : [deferred]),
    ...(functions === undefined ? [] : [functions]),
    ...(ownRoutes === undefined ? [] : [emitContext(plan, ownRoutes, operations)]),
    ...(tools === undefined
      ? []
      : [emitTools(tools, { name, version: packageVersion(plan.version) }, plan.configName)]),
    ...operations,
  ];
  const declared = modules.flatMap((module) => module.imports);
  const imported = new Set(ownImports.map(({ specifier }) => packageOf(specifier)));
  const manifest = servicePackage({
    service: name,
    version: plan.version,
    packages: [...packagesOf([...declared, ...ownImports]), ...(imported.has('express') ? ['express'] : [])],
    // A service run here links to this tool's runtime, so the tarball is not read.
    runtime: runsHere ? '*' : runtimeOf(assets, runtimeSource),
  });
  const functionFiles = emitFunctionFiles(plan);
  const texts = [...modules.map((module) => module.text), ...functionFiles.map(({ text }) => text)];
  const formatted = runsHere
    ? texts
    : await (await import('./module/format-all.js')).formatAll(texts, cache.formatted);
  cache.forget();
  const printed = modules.map(({ path }, index) => generated(path, moduleCode(formatted[index] ?? '')));
  return [
    ...printed,
    ...functionFiles.map((file, index) => ({
      ...file,
      text: moduleCode(formatted[modules.length + index] ?? ''),
    })),
    { path: 'package.json', text: printManifest(manifest), kind: 'packages' as const },
    { path: '.env', text: emitEnv(plan.environment), kind: 'secret' as const },
    ...(runsHere
      ? []
      : [
          ...packageFiles(manifest, assets, runtimeSource),
          ...folderFiles(plan, assets, { target, extras, name, runtimeSource }),
        ]),
  ].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The runtime dependency in package.json. */
function runtimeOf(assets: Assets, source: RuntimeSource): string {
  return source === 'vendor' ? `file:${tarballPath(assets)}` : assets.runtime.manifest.version;
}

/** Path relative to the service's folder. */
function tarballPath({ runtime }: Assets): string {
  return `vendor/${runtime.name}`;
}

/** The lock file, and the runtime's tarball if it is vendored. */
function packageFiles(manifest: Manifest, assets: Assets, source: RuntimeSource): GeneratedFile[] {
  const lock = emitLockFile(manifest, assets.runtime, assets.packages);
  const tarball = { path: tarballPath(assets), text: assets.runtime.bytes, kind: 'generated' as const };
  return [
    { path: 'package-lock.json', text: lock, kind: 'packages' },
    ...(source === 'vendor' ? [tarball] : []),
  ];
}

/** Files of the service other than modules and package files. */
function folderFiles(
  plan: ServicePlan,
  assets: Assets,
  {
    target,
    extras,
    name,
    runtimeSource,
  }: {
    readonly runtimeSource: RuntimeSource;
    readonly target: Target;
    readonly extras: readonly KubernetesExtra[];
    readonly name: string;
  },
): GeneratedFile[] {
  return [
    generated('tsconfig.json', assets.template('tsconfig.json')),
    generated('.gitattributes', assets.template('gitattributes')),
    generated('.gitignore', assets.template('gitignore')),
    generated('.dockerignore', assets.template('dockerignore')),
    generated('Dockerfile', dockerfile(assets.template('Dockerfile'), runtimeSource)),
    { path: 'pnpm-workspace.yaml', text: assets.template('pnpm-workspace.yaml'), kind: 'once' },
    { path: '.yarnrc.yml', text: assets.template('yarnrc.yml'), kind: 'once' },
    generated('README.md', emitReadme(plan, assets, { target, name })),
    ...(target === 'kubernetes' ? emitKubernetes(plan, assets, name, extras) : []),
    generated('.env.example', emitEnvExample(plan.environment)),
  ];
}

/** A runtime installed from a registry is not in the vendor folder. */
function dockerfile(template: Written<'copy'>, source: RuntimeSource): Written<'copy'> {
  return source === 'vendor' ? template : copied(template.replace('COPY vendor ./vendor\n', ''));
}

function generated(path: string, text: Written): GeneratedFile {
  return { path, text, kind: 'generated' };
}
