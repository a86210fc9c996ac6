/** src/main.ts: the start, with the parts that the service has. */
import { features, type Feature } from '../../plan/environment.js';
import type { ServicePlan } from '../../plan/plan.js';
import { specifierOf } from '../../plan/names/runtime-symbols.js';
import { stringLiteral } from '../../../notation/typescript-writer.js';
import { header } from '../module/module.js';

/** Which parts a service has besides those that each has. */
export interface MainParts {
  readonly configName: string;
  /** As package.json has it. */
  readonly version: string;
  readonly authentications: boolean;
  readonly env: boolean;
  readonly ownCode: boolean;
  readonly schedule: boolean;
  readonly outbox: boolean;
  /** The page that shows the API description. */
  readonly description: 'test-page' | 'api-docs' | undefined;
  /** The module that makes the bodies of errors; undefined for `{ "message": … }`. */
  readonly errors: 'problem' | 'own' | undefined;
  /** The parts that only settings of the environment use. */
  readonly features: ReadonlySet<Feature>;
  /** The operations, where `apikiln test` is to reach them. */
  readonly underTest?: ServicePlan['operations'] | undefined;
}

export function emitMain({
  configName,
  version,
  authentications,
  env,
  ownCode,
  schedule,
  outbox,
  description,
  errors,
  features: asked,
  underTest,
}: MainParts): string {
  const testPage = description === 'test-page';
  const apiDocs = description === 'api-docs';
  const page = testPage
    ? 'createTestPage(apiDescription)'
    : apiDocs
      ? 'createApiDocs(apiDescription)'
      : undefined;
  const when = (is: boolean, line: string): string[] => (is ? [line] : []);
  const lines = [
    header(configName),
    ...when(apiDocs, `import { createApiDocs } from '${specifierOf('api-docs')}';`),
    ...when(errors === 'problem', `import { problem } from '${specifierOf('errors')}';`),
    ...when(outbox, `import { startWithOutbox } from '${specifierOf('outbox')}';`),
    ...when(ownCode, `import { openOwnCode } from '${specifierOf('own-code')}';`),
    ...when(!outbox, `import { startService } from '${specifierOf('server')}';`),
    ...when(testPage, `import { createTestPage } from '${specifierOf('test-page')}';`),
    ...when(underTest !== undefined, `import { underTest } from '${specifierOf('testing')}';`),
    ...when(description !== undefined, "import { apiDescription } from './api-description.js';"),
    ...when(authentications, "import { authentications } from './authentications.js';"),
    `import { datasources${outbox ? ', outbox' : ''} } from './datasources.js';`,
    ...when(env, "import { env } from './env.js';"),
    ...when(errors === 'own', "import { errors } from './errors.js';"),
    ...(underTest ?? []).map(
      ({ functionName, fileName }) => `import { ${functionName} } from './operations/${fileName}.js';`,
    ),
    "import { router } from './router.js';",
    ...when(schedule, "import { schedule } from './schedule.js';"),
    '',
    schedule
      ? '// Starts the service, or runs one timed operation: `node dist/main.js run <operation>`.'
      : '// Starts the service.',
    ...when(outbox, '// `node dist/main.js outbox list` shows what waits to be sent, and what could not be.'),
    outbox ? 'await startWithOutbox(outbox, {' : 'await startService({',
    '  router,',
    '  datasources,',
    ...when(authentications, '  authentications,'),
    ...when(env, '  env,'),
    ...when(schedule, '  schedule,'),
    ...when(ownCode, '  ownCode: openOwnCode,'),
    ...when(errors === 'own', '  errors,'),
    ...when(errors === 'problem', '  errors: problem,'),
    ...(underTest !== undefined
      ? observed(underTest, outbox, page)
      : page === undefined
        ? []
        : [`  testPage: ${page},`]),
    ...loadedFeatures(asked),
    '  // Each of these files is optional.',
    "  app: new URL('./app.js', import.meta.url),",
    "  middleware: new URL('./middleware.js', import.meta.url),",
    "  envFile: new URL('../.env', import.meta.url),",
    '  // For metrics.',
    // Digits, letters and `.-`: this file is not formatted, which would choose these quotes.
    `  version: '${version}',`,
    '});',
  ];
  return `${lines.join('\n')}\n`;
}

/** Each is loaded when its setting is there. */
function loadedFeatures(asked: ReadonlySet<Feature>): string[] {
  if (asked.size === 0) return [];
  const parts = features
    .filter((feature) => asked.has(feature))
    .map((feature) => `    ${feature}: () => import('${specifierOf(feature)}'),`);
  return ['  features: {', ...parts, '  },'];
}

/** The handlers by the names of their operations, and what else is shown to who tests them. */
function observed(
  operations: ServicePlan['operations'],
  outbox: boolean,
  page: string | undefined,
): string[] {
  return [
    '  testPage: underTest({',
    '    operations: {',
    ...operations.map(({ name, functionName }) => `      ${stringLiteral(name)}: ${functionName},`),
    '    },',
    '    datasources,',
    ...(outbox ? ['    outbox,'] : []),
    ...(page === undefined ? [] : [`    testPage: ${page},`]),
    '  }),',
  ];
}
