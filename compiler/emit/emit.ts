/** The list of output files. */
import type { ServicePlan } from '../plan/plan.js';
import type { Assets } from '../assets.js';
import { emitApi } from './api.js';
import { emitApiDescription } from './api-description.js';
import { emitAuthentications } from './authentications.js';
import { emitDatasources } from './datasources.js';
import { emitEnv, emitEnvExample } from './env-file.js';
import type { GeneratedFile } from './file.js';
import { formatAll } from './format.js';
import { emitHandler } from './handler.js';
import { ImportTexts } from './import-text.js';
import { importsOf, packageOf, runtimeClosure } from './imports.js';
import { emitKubernetes } from './kubernetes.js';
import { emitMain } from './main.js';
import { Memory } from './memory.js';
import type { Module } from './module.js';
import { emitPackageJson } from './package-json.js';
import { emitReadme } from './readme.js';
import { emitRouter } from './router.js';
import { emitSchedule } from './schedule.js';
import type { Target } from './target.js';

/** What is written besides the plan. */
export interface EmitOptions {
  readonly target?: Target | undefined;
  /** What the test page shows, where there is one. */
  readonly description?: string | undefined;
}

/** The whole service. `memory` of the builds before makes it faster and changes nothing. */
export async function emit(
  plan: ServicePlan,
  assets: Assets,
  { target = 'docker', description }: EmitOptions = {},
  memory = new Memory(),
): Promise<GeneratedFile[]> {
  const schedule = emitSchedule(plan);
  const authentications = emitAuthentications(plan);
  const modules: Module[] = [
    emitDatasources(plan),
    emitRouter(plan),
    ...(authentications === undefined ? [] : [authentications]),
    ...(plan.api === undefined ? [] : [emitApi(plan.api, plan.configName)]),
    ...(description === undefined ? [] : [emitApiDescription(description, plan.configName)]),
    ...(schedule === undefined ? [] : [schedule]),
    ...plan.operations.map((operation) => emitHandler(operation, plan)),
  ];
  const main = emitMain({
    configName: plan.configName,
    authentications: authentications !== undefined,
    schedule: schedule !== undefined,
    testPage: description !== undefined,
  });
  const app = assets.template('app.ts');
  const own = [
    ...modules.map(({ path, imports }) => ({ path, imports })),
    { path: 'src/main.ts', imports: importsOf(main) },
    { path: 'src/app.ts', imports: importsOf(app) },
  ];
  const runtime = runtimeClosure(own, assets.runtime);
  const packages = new Set(
    [...own, ...runtime].flatMap(({ imports }) => imports.flatMap((name) => packageOf(name) ?? [])),
  );
  const importTexts = new ImportTexts(memory.imports);
  const unformatted = modules.map((module) => module.text(importTexts));
  const texts = await formatAll(unformatted, memory.formatted);
  memory.forget();
  const printed = modules.map(({ path }, index) => generated(path, texts[index] ?? ''));
  return [
    generated('src/main.ts', main),
    { path: 'src/app.ts', text: app, kind: 'once' as const },
    ...printed,
    ...runtime.map(({ path, text }) => generated(path, text)),
    generated('package.json', emitPackageJson(packages)),
    generated('tsconfig.json', assets.template('tsconfig.json')),
    generated('.gitignore', assets.template('gitignore')),
    generated('.dockerignore', assets.template('dockerignore')),
    generated('Dockerfile', assets.template('Dockerfile')),
    generated('README.md', emitReadme(plan, assets, target)),
    ...(target === 'kubernetes' ? emitKubernetes(plan, assets) : []),
    generated('.env.example', emitEnvExample(plan.environment)),
    { path: '.env', text: emitEnv(plan.environment), kind: 'secret' as const },
  ].sort((a, b) => (a.path < b.path ? -1 : 1));
}

function generated(path: string, text: string): GeneratedFile {
  return { path, text, kind: 'generated' };
}
