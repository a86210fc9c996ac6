/** src/main.ts: the start, with the parts that the service has. */
import { specifierOf } from '../plan/runtime-symbols.js';
import { header } from './module.js';

/** Which parts a service has besides those that each has. */
export interface MainParts {
  readonly configName: string;
  readonly authentications: boolean;
  readonly schedule: boolean;
  readonly testPage: boolean;
}

export function emitMain({ configName, authentications, schedule, testPage }: MainParts): string {
  const when = (is: boolean, line: string): string[] => (is ? [line] : []);
  const lines = [
    header(configName),
    schedule
      ? '/** Starts the service, or runs one timed operation: `node dist/main.js run <operation>`. */'
      : '/** Starts the service. */',
    `import { startService } from '${specifierOf('server')}';`,
    ...when(testPage, `import { createTestPage } from '${specifierOf('test-page')}';`),
    ...when(testPage, "import { apiDescription } from './api-description.js';"),
    ...when(authentications, "import { authentications } from './authentications.js';"),
    "import { datasources } from './datasources.js';",
    "import { router } from './router.js';",
    ...when(schedule, "import { schedule } from './schedule.js';"),
    '',
    'await startService({',
    '  router,',
    '  datasources,',
    ...when(authentications, '  authentications,'),
    ...when(schedule, '  schedule,'),
    ...when(testPage, '  testPage: createTestPage(apiDescription),'),
    "  app: async () => (await import('./app.js')).app,",
    "  middleware: new URL('./middleware.js', import.meta.url),",
    "  envFile: new URL('../.env', import.meta.url),",
    '});',
  ];
  return `${lines.join('\n')}\n`;
}
