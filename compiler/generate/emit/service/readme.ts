/** README.md of the service: its operations, how to run it, its settings and files. */
import { features, featureSettings, type Feature } from '../../plan/environment.js';
import type { Assets } from '../../assets.js';
import type { TimersPlan } from '../../plan/kubernetes-timers.js';
import type { ServicePlan } from '../../plan/plan.js';
import { commentText } from '../module/comment.js';
import { unnamed } from './service-name.js';
import type { Target } from './target.js';
import { fillTemplate } from './yaml-text.js';

/** `modules`: the paths of the service's modules. */
export function emitReadme(
  plan: ServicePlan,
  assets: Assets,
  {
    target,
    name: service,
    asked,
  }: { readonly target: Target; readonly name: string; readonly asked: ReadonlySet<Feature> },
  modules: ReadonlySet<string>,
): string {
  const { configName, operations, environment, debug } = plan;
  const rows = operations.map(
    ({ name, fileName }) => `| ${cell(name)} | [${fileName}.ts](src/operations/${fileName}.ts) |`,
  );
  const variables = [
    ...environment.references.map(
      ({ name, meaning, isNeeded }) =>
        `| \`${name}\` | | ${cell(meaning)}; ${isNeeded ? 'needed' : 'used'} while \`.env\` refers to it |`,
    ),
    ...environment.values.map(({ name, meaning, isFromOutside }) =>
      isFromOutside === true
        ? `| \`${name}\` | | ${cell(meaning)}; needed |`
        : `| \`${name}\` | from \`.env\` | ${cell(meaning)} |`,
    ),
  ];
  const template = withoutRows(assets.template('README.md'), asked) + (debug ? testPage : '');
  const [hasManagement, hasWorkers] = [asked.has('management'), asked.has('workers')];
  return fillTemplate(template, {
    config: commentText(configName),
    service,
    title: service === unnamed ? 'Service' : service,
    operations: ['| Operation | Code |', '| --- | --- |', ...rows],
    modules: moduleFiles
      .filter(([path]) => modules.has(path))
      .map(([path, content]) => `| \`${path}\` | ${content} |`),
    variables,
    needed: environment.values.map(({ name, plain }) => `${name}=${plain}`),
    management: hasManagement
      ? ['- Its management port is 8081 (see below), and its health check uses it.']
      : [],
    without: withoutFeatures(plan, asked),
    processes: hasWorkers ? ' `WORKERS` is always 1.' : '',
    health: hasManagement ? health(assets, hasWorkers) : [],
    kubernetes: target === 'kubernetes' ? kubernetes(plan, assets, service) : withoutKubernetes,
  });
}

/** Without the settings whose parts the service does not have. */
function withoutRows(template: string, asked: ReadonlySet<Feature>): string {
  const absent = features
    .filter((feature) => !asked.has(feature))
    .flatMap((feature) => featureSettings[feature]);
  const isAbsent = (line: string): boolean => absent.some((name) => line.startsWith(`| \`${name}\` |`));
  return template
    .split('\n')
    .filter((line) => !isAbsent(line))
    .join('\n');
}

/** Names the settings that stop the start. */
function withoutFeatures({ datasources }: ServicePlan, asked: ReadonlySet<Feature>): string[] {
  const hasDatabase = datasources.some(({ type }) => type === 'db');
  const absent = features.filter((feature) => !asked.has(feature) && (feature !== 'servers' || hasDatabase));
  if (absent.length === 0) return [];
  const names = absent.map((feature) =>
    feature === 'servers' ? servers : `\`${featureSettings[feature][0]}\``,
  );
  return [
    'The service was built without what these settings need, and does not start with them:',
    `${names.join(', ')}.`,
    `To add it, write \`features: [${absent.join(', ')}]\` in the settings of the configuration.`,
    '',
  ];
}

const servers = '`DATASOURCE_<NAME>_REPLICA_URL`, and several hosts in the URL of a database';

function health(assets: Assets, hasWorkers: boolean): string[] {
  const { live, all } = hasWorkers ? ofSeveralProcesses : { live: [], all: [] };
  return fillTemplate(assets.template('management.md'), { live, workers: all }).split('\n');
}

/** What a service with `WORKERS` says of its health and metrics. */
const ofSeveralProcesses = {
  live: [
    ' With `WORKERS` it has the number of processes that respond, and is 503 when all are',
    '  stuck. A process that is stuck for ten seconds is replaced.',
  ],
  all: [
    '',
    'With `WORKERS` these are the values of all processes together. Each process has its own database connections, uploads and limits. On',
    'several machines set `SCHEDULE_LEDGER` too.',
  ],
};

/** Modules that a service may have besides its operations. */
const moduleFiles = [
  ['src/router.ts', 'which operation serves which request'],
  ['src/api.ts', 'the requests of the API description, by which they are validated'],
  ['src/datasources.ts', 'the databases and third-party APIs'],
  ['src/described.ts', 'responses of third parties as these describe them; what is not so is logged'],
  ['src/functions.ts', 'the functions of `src/code`, which are yours: types, and what they return'],
  ['src/context.ts', 'for `src/app.ts` and `src/middleware.ts`: the databases, the operations, who calls'],
  ['src/authentications.ts', 'who may call; secrets are settings'],
  ['src/schedule.ts', 'the timers of operations'],
  ['src/api-description.ts', 'the API description that the test page shows'],
] as const;

const withoutKubernetes = [
  'For Kubernetes, build with `--target kubernetes`: this adds manifests to this folder, and their use to this page.',
];

function kubernetes(plan: ServicePlan, assets: Assets, service: string): string[] {
  const secrets = plan.environment.values.filter(({ isSecret }) => isSecret);
  const { kind, ledger } = plan.timers;
  const text = fillTemplate(assets.template('kubernetes/README.md'), {
    service,
    secrets:
      secrets.length === 0
        ? []
        : [
            'cp kubernetes/secrets.example.yaml kubernetes/secrets.yaml   # then fill it in',
            'kubectl apply -f kubernetes/secrets.yaml',
          ],
    timers: timers[kind].map((line) => line.replace('{ledger}', cell(ledger ?? ''))),
  });
  return text.trimEnd().split('\n');
}

/** How timed operations run. */
const timers: Readonly<Record<TimersPlan['kind'], readonly string[]>> = {
  none: [],
  'cron jobs': [
    '- Timed operations are CronJobs, one for each trigger; timers are off in the pods (`SCHEDULE=off`). In rare cases Kubernetes runs a job',
    '  twice or not at all. It has its own rules for hours that a change of clocks skips or repeats.',
  ],
  ledger: [
    '- Timed operations run in the pods, because at least one schedule cannot be a CronJob; each run is first claimed in datasource',
    '  {ledger} (`SCHEDULE_LEDGER`), so it runs once. Its user must be able to create the table `apikiln_schedule`, or the table must exist.',
  ],
  'one pod': [
    '- Timed operations run in the single pod of `timers.yaml`, because at least one schedule cannot be a CronJob, and there is no database in',
    '  which several pods could claim a run. While that pod is replaced, ticks are missed.',
  ],
};

/** Only in services that have one. */
const testPage = `
## Test page

The configuration has \`debug: true\`. So \`/docs-ui\` is a page to try the operations, and \`/v3/api-docs\` and \`/v3/api-docs.yaml\` describe them
(\`src/api-description.ts\`). They need no credentials, and show the SQL of every call from the page: remove \`debug\` in production.{{processes}}
`;

/** A string of the configuration in a Markdown table: no markup, no line break, no end of the cell. */
function cell(text: string): string {
  return commentText(text).replaceAll(/[\\`*_[\]<>|#&]/g, (character) => `\\${character}`);
}
