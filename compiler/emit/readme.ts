/** README.md of the service: what it serves, how to run it, where things are. */
import type { Assets } from '../assets.js';
import type { TimersPlan } from '../plan/kubernetes-timers.js';
import type { ServicePlan } from '../plan/plan.js';
import { commentText } from './comment.js';
import type { Target } from './target.js';
import { fillTemplate } from './yaml-text.js';

export function emitReadme(plan: ServicePlan, assets: Assets, target: Target): string {
  const { configName, operations, environment, debug } = plan;
  const rows = operations.map(
    ({ name, fileName }) => `| ${cell(name)} | [${fileName}.ts](src/operations/${fileName}.ts) |`,
  );
  const variables = [
    ...environment.references.map(
      ({ name, meaning }) => `| \`${name}\` | | ${cell(meaning)}; only where \`.env\` says so |`,
    ),
    ...environment.values.map(({ name, meaning }) => `| \`${name}\` | from \`.env\` | ${cell(meaning)} |`),
  ];
  return fillTemplate(assets.template('README.md') + (debug ? testPage : ''), {
    config: commentText(configName),
    operations: ['| Operation | Code |', '| --- | --- |', ...rows],
    variables,
    needed: environment.values.map(({ name, plain }) => `${name}=${plain}`),
    kubernetes: target === 'kubernetes' ? kubernetes(plan, assets) : withoutKubernetes,
  });
}

const withoutKubernetes = [
  'For Kubernetes, build with `--target kubernetes`: that adds manifests to this folder, and to this page how to use them.',
];

function kubernetes(plan: ServicePlan, assets: Assets): string[] {
  const secrets = plan.environment.values.filter(({ isSecret }) => isSecret);
  const { kind, ledger } = plan.timers;
  const text = fillTemplate(assets.template('kubernetes/README.md'), {
    secrets:
      secrets.length === 0
        ? []
        : [
            'cp kubernetes/secrets.example.yaml kubernetes/secrets.yaml   # then fill it in',
            'kubectl apply -f kubernetes/secrets.yaml',
          ],
    timers: timers[kind].map((line) => line.replace('LEDGER', cell(ledger ?? ''))),
  });
  return text.trimEnd().split('\n');
}

/** What is said of timed operations. */
const timers: Readonly<Record<TimersPlan['kind'], readonly string[]>> = {
  none: [],
  'cron jobs': [
    '- Timed operations are CronJobs, one for each trigger; the pods themselves keep no time (`SCHEDULE=off`). Kubernetes may in rare cases run',
    '  a job twice or not at all, and has its own way with hours that a change of clocks leaves out or repeats.',
  ],
  ledger: [
    '- Timed operations run in the pods, because at least one schedule cannot be a CronJob; each run is claimed in datasource LEDGER first',
    '  (`SCHEDULE_LEDGER`), so it happens once. Its user must be able to create the table `apikiln_schedule` there, or find it made.',
  ],
  'one pod': [
    '- Timed operations run in the one pod of `timers.yaml`, because at least one schedule cannot be a CronJob, and without a database there is',
    '  nothing in which several pods could agree. While that pod is replaced, ticks are missed.',
  ],
};

/** Only in services that have one. */
const testPage = `
## Test page

The configuration says \`debug: true\`, so \`/docs-ui\` is a page to try the operations on, and \`/v3/api-docs\` and \`/v3/api-docs.yaml\` describe them
(\`src/api-description.ts\`). They ask for no credentials, and show the SQL of every call that is made from the page: leave \`debug\` out in production. \`WORKERS\` is 1 meanwhile.
`;

/** Text of the configuration in a Markdown table: no markup, no line break, no end of the cell. */
function cell(text: string): string {
  return commentText(text).replaceAll(/[\\`*_[\]<>|#&]/g, (character) => `\\${character}`);
}
