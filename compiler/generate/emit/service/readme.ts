/** README.md of the service: its operations, its settings, and how to run and deploy it. */
import type { Assets } from '../../assets.js';
import type { TimersPlan } from '../../plan/kubernetes/kubernetes-timers.js';
import type { ServicePlan } from '../../plan/plan.js';
import { environment as variablesFile } from '../../../notation/environment-writer.js';
import { markdown } from '../../../notation/markdown-writer.js';
import { copied, filled, trimmedEnd, type Written } from '../../../notation/written.js';
import { unnamed } from './service-name.js';
import type { Target } from './target.js';

export function emitReadme(
  plan: ServicePlan,
  assets: Assets,
  { target, name: service }: { readonly target: Target; readonly name: string },
): Written<'markdown'> {
  const { configName, operations, environment, debug } = plan;
  const rows = operations.map(
    ({ name, fileName }) =>
      markdown`| ${markdown.text(name)} | [${markdown.path(fileName)}.ts](src/operations/${markdown.path(fileName)}.ts) |`,
  );
  const whole = assets.template('README.md');
  const template = debug ? copied(`${whole}${testPage}`) : whole;
  return filled<'markdown'>(template, {
    config: markdown.blockLine(configName.replaceAll('`', '')),
    service: markdown.path(service),
    title: service === unnamed ? markdown`Service` : markdown.path(service),
    operations: [
      markdown`| Operation | Code |`,
      markdown`| --- | --- |`,
      ...rows,
      ...streamedOperations(plan),
    ],
    needed: environment.values.map(({ name, plain }) =>
      markdown.blockLine(variablesFile`${variablesFile.variable(name)}=${variablesFile.dockerValue(plain)}`),
    ),
    kubernetes: target === 'kubernetes' ? kubernetes(plan, assets, service) : withoutKubernetes,
  });
}

/** Names of the operations that stream responses: the end of a stream needs HTTP/1.1, or a proxy that passes resets on. */
function streamedOperations({ operations }: ServicePlan): Written<'markdown'>[] {
  const names = operations.filter(({ streamed }) => streamed !== undefined).map(({ name }) => name);
  if (names.length === 0) return [];
  return [
    markdown``,
    markdown`These responses are sent while their rows arrive. If the read fails after the first row, the connection is reset. With nginx, set`,
    markdown`\`proxy_http_version 1.1\`: with its default, HTTP/1.0, clients cannot detect a response that is truncated because a process was killed.`,
    markdown``,
    ...names.map((name) => markdown`- ${markdown.text(name)}`),
  ];
}

const withoutKubernetes = [
  markdown`For Kubernetes, build with \`--target kubernetes\`: this adds manifests to this folder, and instructions to this page.`,
];

function kubernetes(plan: ServicePlan, assets: Assets, service: string): Written<'markdown'>[] {
  const secrets = plan.environment.values.filter(({ isSecret }) => isSecret);
  const { kind, ledger } = plan.timers;
  const text = filled<'markdown'>(assets.template('kubernetes/README.md'), {
    service: markdown.path(service),
    secrets:
      secrets.length === 0
        ? []
        : [
            markdown`cp kubernetes/secrets.example.yaml kubernetes/secrets.yaml   # then fill it in`,
            markdown`kubectl apply -f kubernetes/secrets.yaml`,
          ],
    timers: timersOf(kind, markdown.text(ledger ?? '')),
  });
  return [trimmedEnd(text)];
}

/** How timed operations run. `ledger` is the datasource of the ledger, if any. */
function timersOf(kind: TimersPlan['kind'], ledger: Written<'markdown'>): Written<'markdown'>[] {
  switch (kind) {
    case 'none':
      return [];
    case 'cron jobs':
      return [
        markdown`- Timed operations are CronJobs, one for each trigger; timers are off in the pods (\`SCHEDULE=off\`). In rare cases Kubernetes runs a job`,
        markdown`  twice or not at all. When clocks change, the rules of Kubernetes apply to skipped and repeated hours.`,
      ];
    case 'ledger':
      return [
        markdown`- Timed operations run in the pods, because at least one schedule cannot be a CronJob. A pod first claims each run in datasource`,
        markdown`  ${ledger} (\`SCHEDULE_LEDGER\`), so it runs once. Its user must be able to create the table \`apikiln_schedule\`, or the table must exist.`,
      ];
    case 'one pod':
      return [
        markdown`- Timed operations run in the single pod of \`timers.yaml\`, because at least one schedule cannot be a CronJob, and several pods would need a`,
        markdown`  database to claim a run. While this pod is being replaced, runs are missed.`,
      ];
  }
}

/** Only for services with a test page. */
const testPage = `
## Test page

The configuration has \`debug: true\`, so \`/docs-ui\` is a test page for the operations, and \`/v3/api-docs\` and \`/v3/api-docs.yaml\` serve their
description (\`src/api-description.ts\`), all without credentials. The test page shows the SQL of its calls: remove \`debug\` in production. \`WORKERS\` is always 1.
`;
