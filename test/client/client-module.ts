/** Clients of services for tests: planned, printed, and loaded as modules. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transformSync } from 'esbuild';
import type { Databases } from '../../compiler/analyze/operations/statements/statement-descriptions.js';
import { checkWithDatabases, type Input } from '../../compiler/compile.js';
import { readAssets } from '../../compiler/generate/assets.js';
import { emitClient } from '../../compiler/generate/emit/client/client-module.js';
import { planClient, type ClientPlan } from '../../compiler/generate/plan/client/client-plan.js';
import { repository } from '../helpers/service-fixture.js';

export interface PlannedClient {
  readonly plan: ClientPlan;
  readonly text: string;
}

/** Throws the diagnostics if the configuration has errors. */
export async function clientOf(input: Input, databases: Databases): Promise<PlannedClient> {
  const { service, diagnostics } = await checkWithDatabases(input, databases);
  if (service === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  const plan = planClient(service, 'config.yaml');
  return { plan, text: await emitClient(plan, readAssets(repository)) };
}

/** The options of a call, without types. */
export interface LooseClient {
  readonly baseUrl: string;
  readonly fetch?: (request: Request) => Promise<Response>;
  readonly [option: string]: unknown;
}

/** The functions of a client, without types. */
export type LoadedClient = Readonly<Record<string, (client: LooseClient, ...rest: unknown[]) => unknown>>;

/** Loads a client as JavaScript; `name` is the name of its file. */
export async function loadClient(name: string, text: string): Promise<LoadedClient> {
  const folder = join(repository, 'dist/test/clients');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${name}.mjs`);
  writeFileSync(path, javaScript(text));
  const url = `${pathToFileURL(path).href}?${String(performance.now())}`;
  return (await import(url)) as LoadedClient;
}

export function javaScript(text: string): string {
  return transformSync(text, { loader: 'ts', format: 'esm', target: 'es2022' }).code;
}

/** The strictest options of TypeScript for programs in browsers. */
export const strictOptions = {
  ...{ target: 'ES2023', module: 'ESNext', moduleResolution: 'bundler', types: [] },
  lib: ['ES2023', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
  ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
  ...{ noImplicitReturns: true, noImplicitOverride: true, noPropertyAccessFromIndexSignature: true },
  ...{ noUnusedLocals: true, noUnusedParameters: true, isolatedModules: true, verbatimModuleSyntax: true },
  ...{ erasableSyntaxOnly: true, noEmit: true },
};
