/** The manifests of the target `kubernetes`: every build writes `base`; the files beside it are user files. */
import { createHash } from 'node:crypto';
import type { Assets } from '../../assets.js';
import type { EnvironmentVariable } from '../../plan/environment.js';
import type { CronJobPlan } from '../../plan/kubernetes-timers.js';
import type { ServicePlan } from '../../plan/plan.js';
import { commentText } from '../module/comment.js';
import type { GeneratedFile } from '../module/file.js';
import { kubernetesExtras, type KubernetesExtra } from './target.js';
import { containerArgument, fillTemplate, yamlString } from './yaml-text.js';

/** Everything below `kubernetes`. */
export function emitKubernetes(
  plan: ServicePlan,
  assets: Assets,
  service: string,
  extras: readonly KubernetesExtra[],
): GeneratedFile[] {
  const { values } = plan.environment;
  const name = commentText(plan.configName);
  const common = {
    header: `Generated from ${name}. Do not edit: change ${name} and build again, or add a patch to ../kustomization.yaml.`,
    service,
    environment: values.flatMap((variable) => reference(variable, service)),
    memory: plan.operations.some(({ readsFiles }) => readsFiles) ? '768Mi' : '512Mi',
  };
  const fill = (template: string, holes: Readonly<Record<string, string | readonly string[]>> = {}): string =>
    fillTemplate(assets.template(`kubernetes/${template}`), { ...common, ...holes });
  const timers = plan.timers;
  const base: readonly (readonly [string, string])[] = [
    ['deployment.yaml', fill('deployment.yaml', { schedule: scheduleSettings(timers.ledger, timers.kind) })],
    ['service.yaml', fill('service.yaml')],
    ['autoscaler.yaml', fill('autoscaler.yaml')],
    ['disruption-budget.yaml', fill('disruption-budget.yaml')],
    ...kubernetesExtras
      .filter((extra) => extras.includes(extra))
      .map((extra) => [`${extra}.yaml`, fill(`${extra}.yaml`)] as const),
    ...timers.jobs.map(
      (job) => [`cronjob-${job.name}.yaml`, fill('cronjob.yaml', cronJob(job, service))] as const,
    ),
    ...(timers.kind === 'one pod' ? [['timers.yaml', fill('timers.yaml')] as const] : []),
  ];
  const resources = base.map(([file]) => `- ${file}`).sort();
  const secrets = values.filter(({ isSecret }) => isSecret);
  const settings = values.filter(({ isSecret }) => !isSecret);
  return [
    ...base.map(([file, text]) => manifest(`base/${file}`, text)),
    manifest('base/kustomization.yaml', fill('base.yaml', { resources })),
    ...(secrets.length === 0
      ? []
      : [
          manifest(
            'secrets.example.yaml',
            fill('secrets.example.yaml', { secrets: secrets.flatMap((variable) => field(variable, '')) }),
          ),
        ]),
    manifest('kustomization.yaml', fill('kustomization.yaml'), 'once'),
    manifest(
      'settings.yaml',
      fill('settings.yaml', { settings: settings.flatMap((variable) => field(variable, variable.plain)) }),
      'once',
    ),
  ];
}

function manifest(path: string, text: string, kind: GeneratedFile['kind'] = 'generated'): GeneratedFile {
  return { path: `kubernetes/${path}`, text, kind };
}

/** The variable in a container; Kubernetes names the key when it is not there, and starts nothing. */
function reference({ name, isSecret }: EnvironmentVariable, service: string): string[] {
  return [
    `- name: ${name}`,
    '  valueFrom:',
    `    ${isSecret ? 'secretKeyRef' : 'configMapKeyRef'}:`,
    `      name: ${service}-${isSecret ? 'secrets' : 'settings'}`,
    `      key: ${name}`,
  ];
}

function field({ name, meaning }: EnvironmentVariable, value: string): string[] {
  return [`# ${commentText(meaning)}`, `${name}: ${yamlString(value)}`];
}

function scheduleSettings(
  ledger: string | undefined,
  kind: 'none' | 'ledger' | 'cron jobs' | 'one pod',
): string[] {
  if (kind === 'none') return [];
  if (ledger === undefined) {
    const who =
      kind === 'cron jobs'
        ? 'The CronJobs start the timed operations.'
        : 'The pod of timers.yaml starts the timed operations.';
    return [`# ${who}`, '- name: SCHEDULE', "  value: 'off'"];
  }
  return [
    '# At least one schedule cannot be a CronJob. So timers run in every pod, and each run is first claimed in this database.',
    '- name: SCHEDULE_LEDGER',
    `  value: ${containerArgument(ledger)}`,
  ];
}

function cronJob(
  { name, operation, trigger, schedule, timezone }: CronJobPlan,
  service: string,
): Record<string, string> {
  const full = `${service}-${name}`;
  return {
    trigger: commentText(`operation ${operation}, trigger ${trigger}`),
    // Kubernetes allows a CronJob 52 characters.
    name: full.length <= 52 ? full : `${service}-${hash(name)}`,
    cron: yamlString(schedule),
    timezone: yamlString(timezone),
    operation: containerArgument(operation),
  };
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 24);
}
