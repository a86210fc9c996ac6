/** README.md of the service: its operations, its settings, and how to run and deploy it. */
import type { Assets } from '../../assets.js';
import type { TimersPlan } from '../../plan/kubernetes/kubernetes-timers.js';
import type { ServicePlan } from '../../plan/plan.js';
import { environment as variablesFile } from '../../../notation/environment-writer.js';
import { markdown } from '../../../notation/markdown-writer.js';
import { copied, filled, joined, trimmedEnd, type Written } from '../../../notation/written.js';
import { unnamed } from './service-name.js';
import type { Target } from './target.js';

/** Maximum number of lines of a README. */
const maxLines = 80;
/** The minimum numbers of operations and of variables that a README lists. */
const [leastOperations, leastVariables] = [4, 3];
/** Maximum number of variables and of streamed responses that are listed. */
const [mostVariables, mostStreamed] = [12, 6];

export function emitReadme(
  plan: ServicePlan,
  assets: Assets,
  { target, name: service }: { readonly target: Target; readonly name: string },
): Written<'markdown'> {
  const { configName, operations, environment, datasources, debug } = plan;
  const whole = assets.template('README.md');
  const template = debug ? copied(`${whole}${testPage}`) : whole;
  // Without a version, so that an upgrade of the tool does not change the file.
  const reference = markdown`https://github.com/OWNER/apikiln/blob/main/docs/reference`;
  const hasDatabase = datasources.some(({ type }) => type === 'db');
  const withLines = (forOperations: number, forVariables: number): Written<'markdown'> =>
    filled<'markdown'>(template, {
      config: markdown.blockLine(configName.replaceAll('`', '')),
      reference,
      service: markdown.path(service),
      title: service === unnamed ? markdown`Service` : markdown.path(service),
      operations: [
        markdown`| Operation | Code |`,
        markdown`| --- | --- |`,
        ...limited(
          operations.map(operationRow),
          forOperations,
          (more) => markdown`| and ${more} more | [src/operations](src/operations) |`,
        ),
        ...streamedOperations(plan),
      ],
      needs: hasDatabase
        ? markdown`You need Node 20.19 or newer, and databases with all tables, because the service does not create tables.`
        : markdown`You need Node 20.19 or newer.`,
      unavailable: hasDatabase
        ? markdown` It starts even if a database is unavailable, and then responds with 503.`
        : markdown``,
      settings: settings(environment.values, hasDatabase, forVariables),
      envFile: environment.values.length === 0 ? markdown`` : markdown` --env-file .env.production`,
      kubernetes:
        target === 'kubernetes' ? kubernetes(plan, assets, { service, reference }) : withoutKubernetes,
    });
  const [allOperations, allVariables] = [
    operations.length,
    Math.min(environment.values.length, mostVariables),
  ];
  const lines = withLines(allOperations, allVariables).split('\n').length - 1;
  const rest = maxLines - (lines - allOperations - allVariables);
  const forVariables = Math.min(
    allVariables,
    Math.max(leastVariables, rest - Math.min(allOperations, leastOperations)),
  );
  return withLines(Math.max(rest - forVariables, 1), forVariables);
}

/** Shortens the lines to the limit; the last line then contains the number of omitted lines. */
function limited(
  lines: readonly Written<'markdown'>[],
  most: number,
  rest: (more: number) => Written<'markdown'>,
): readonly Written<'markdown'>[] {
  return lines.length <= most
    ? lines
    : [...lines.slice(0, most - 1), rest(lines.length - Math.max(most - 1, 0))];
}

function operationRow({ name, fileName }: ServicePlan['operations'][number]): Written<'markdown'> {
  return markdown`| ${markdown.text(name)} | [${markdown.path(fileName)}.ts](src/operations/${markdown.path(fileName)}.ts) |`;
}

function settings(
  values: ServicePlan['environment']['values'],
  hasDatabase: boolean,
  forVariables: number,
): readonly Written<'markdown'>[] {
  if (values.length === 0)
    return [
      markdown`Settings are environment variables, such as \`PORT\`. Variables that are not set are read from \`.env\`.`,
    ];
  return [
    markdown`Settings are environment variables. Variables that are not set are read from \`.env\`, which has the values of the configuration. Do not commit`,
    markdown`\`.env\`, and do not copy it into an image. \`.env.example\` explains each variable.`,
    markdown``,
    markdown`In a container, set each of these variables in full, because \`docker\` supports neither quotes nor \`\${NAME}\`. Example of a file \`.env.production\`:`,
    markdown``,
    markdown`\`\`\`sh`,
    ...limited(
      values.map(({ name, plain }) =>
        markdown.blockLine(
          variablesFile`${variablesFile.variable(name)}=${variablesFile.dockerValue(plain)}`,
        ),
      ),
      forVariables,
      (more) => markdown`# and ${more} more: see .env.example`,
    ),
    markdown`\`\`\``,
    markdown``,
    hasDatabase
      ? markdown`Fill in the empty values. \`localhost\` is the container itself: use the name of the database that the container can reach.`
      : markdown`Fill in the empty values. \`localhost\` is the container itself.`,
  ];
}

/** Names of the operations that stream responses: the end of a stream needs HTTP/1.1, or a proxy that passes resets on. */
function streamedOperations({ operations }: ServicePlan): Written<'markdown'>[] {
  const names = operations.filter(({ streamed }) => streamed !== undefined).map(({ name }) => name);
  if (names.length === 0) return [];
  const shown = joined(names.slice(0, mostStreamed).map(markdown.text), ', ');
  const more = names.length - mostStreamed;
  return [
    markdown``,
    markdown`Sent while their rows arrive: ${shown}${more > 0 ? markdown` and ${more} more` : markdown``}.`,
    markdown`If the read fails after the first row, the connection is reset. With nginx, set \`proxy_http_version 1.1\`: with its default, HTTP/1.0, clients`,
    markdown`cannot detect a response that is truncated because a process was killed.`,
  ];
}

const withoutKubernetes = [
  markdown`For Kubernetes, build with \`--target kubernetes\`: this adds manifests to this folder, and instructions to this page.`,
];

function kubernetes(
  plan: ServicePlan,
  assets: Assets,
  { service, reference }: { readonly service: string; readonly reference: Written<'markdown'> },
): Written<'markdown'>[] {
  const secrets = plan.environment.values.filter(({ isSecret }) => isSecret);
  const { kind, ledger } = plan.timers;
  const text = filled<'markdown'>(assets.template('kubernetes/README.md'), {
    service: markdown.path(service),
    reference,
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
