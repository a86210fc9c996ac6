/** The list of output files. */
import type { ServicePlan } from '../plan/plan.js';
import type { Assets } from '../assets.js';
import { emitDatasources } from './datasources.js';
import { emitEnv, emitEnvExample } from './env-file.js';
import type { GeneratedFile } from './file.js';
import { emitHandler } from './handler.js';
import { importsOf, packageOf, runtimeClosure } from './imports.js';
import type { Module } from './module.js';
import { header } from './module.js';
import { emitPackageJson } from './package-json.js';
import { emitReadme } from './readme.js';
import { emitRouter } from './router.js';

/** The whole service. */
export async function emit(plan: ServicePlan, assets: Assets): Promise<GeneratedFile[]> {
  const modules: Module[] = [
    emitDatasources(plan),
    emitRouter(plan),
    ...plan.operations.map((operation) => emitHandler(operation, plan.datasources, plan.configName)),
  ];
  const own: GeneratedFile[] = [
    generated('src/main.ts', `${header(plan.configName)}\n${assets.template('main.ts')}`),
    { path: 'src/app.ts', text: assets.template('app.ts'), kind: 'once' },
  ];
  for (const module of modules) own.push(generated(module.path, await module.print()));
  const runtime = runtimeClosure(own, assets.runtime).map((path) =>
    generated(path, assets.runtime.get(path) ?? ''),
  );
  const sources = [...own, ...runtime];
  const packages = new Set(
    sources.flatMap(({ text }) => importsOf(text).flatMap((name) => packageOf(name) ?? [])),
  );
  return [
    ...sources,
    generated('package.json', emitPackageJson(packages)),
    generated('tsconfig.json', assets.template('tsconfig.json')),
    generated('.gitignore', assets.template('gitignore')),
    generated('.dockerignore', assets.template('dockerignore')),
    generated('Dockerfile', assets.template('Dockerfile')),
    generated('README.md', emitReadme(plan, assets.template('README.md'))),
    generated('.env.example', emitEnvExample(plan.environment)),
    { path: '.env', text: emitEnv(plan.environment), kind: 'secret' as const },
  ].sort((a, b) => (a.path < b.path ? -1 : 1));
}

function generated(path: string, text: string): GeneratedFile {
  return { path, text, kind: 'generated' };
}
