/** The manifests for the target `kubernetes`. Each build writes `base`; the files next to it are user files. */
import { sha256 } from '../../plan/names/sha256.js';
import type { Assets } from '../../assets.js';
import type { EnvironmentVariable } from '../../plan/environment.js';
import type { CronJobPlan } from '../../plan/kubernetes/kubernetes-timers.js';
import type { ServicePlan } from '../../plan/plan.js';
import { yaml } from '../../../notation/yaml-writer.js';
import { filled, type Written } from '../../../notation/written.js';
import type { GeneratedFile } from '../module/file.js';
import { kubernetesExtras, type KubernetesExtra } from './target.js';

/** All files in `kubernetes`. */
export function emitKubernetes(
  plan: ServicePlan,
  assets: Assets,
  service: string,
  extras: readonly KubernetesExtra[],
): GeneratedFile[] {
  const { values } = plan.environment;
  const name = yaml.comment(plan.configName);
  const written = yaml.word(service);
  const common = {
    header: yaml`Generated from ${name}. Do not edit: change ${name} and build again, or add a patch to ../kustomization.yaml.`,
    service: written,
    environment: values.flatMap((variable) => reference(variable, written)),
    memory: plan.operations.some(({ readsFiles }) => readsFiles) ? yaml`768Mi` : yaml`512Mi`,
  };
  const fill = (template: string, holes: Holes = {}): Written<'yaml'> =>
    filled<'yaml'>(assets.template(`kubernetes/${template}`), { ...common, ...holes });
  const timers = plan.timers;
  const base: readonly (readonly [string, Written<'yaml'>])[] = [
    ['deployment.yaml', fill('deployment.yaml', { schedule: scheduleSettings(timers.ledger, timers.kind) })],
    ['service.yaml', fill('service.yaml')],
    ['autoscaler.yaml', fill('autoscaler.yaml')],
    ['disruption-budget.yaml', fill('disruption-budget.yaml')],
    ...kubernetesExtras
      .filter((extra) => extras.includes(extra))
      .map((extra) => [`${extra}.yaml`, fill(`${extra}.yaml`)] as const),
    ...timers.jobs.map(
      (job) => [`cronjob-${job.name}.yaml`, fill('cronjob.yaml', cronJob(job, written))] as const,
    ),
    ...(timers.kind === 'one pod' ? [['timers.yaml', fill('timers.yaml')] as const] : []),
  ];
  const resources = base.map(([file]) => yaml`- ${yaml.word(file)}`).sort();
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

type Holes = Readonly<Record<string, Written<'yaml'> | readonly Written<'yaml'>[]>>;

function manifest(
  path: string,
  text: Written<'yaml'>,
  kind: GeneratedFile['kind'] = 'generated',
): GeneratedFile {
  return { path: `kubernetes/${path}`, text, kind };
}

/** The environment variable of a container. If the key is missing, Kubernetes reports its name and does not start the container. */
function reference({ name, isSecret }: EnvironmentVariable, service: Written<'yaml'>): Written<'yaml'>[] {
  const key = yaml.word(name);
  return [
    yaml`- name: ${key}`,
    yaml`  valueFrom:`,
    isSecret ? yaml`    secretKeyRef:` : yaml`    configMapKeyRef:`,
    yaml`      name: ${service}-${isSecret ? yaml`secrets` : yaml`settings`}`,
    yaml`      key: ${key}`,
  ];
}

function field({ name, meaning }: EnvironmentVariable, value: string): Written<'yaml'>[] {
  return [yaml`# ${yaml.comment(meaning)}`, yaml`${yaml.word(name)}: ${yaml.string(value)}`];
}

function scheduleSettings(
  ledger: string | undefined,
  kind: 'none' | 'ledger' | 'cron jobs' | 'one pod',
): Written<'yaml'>[] {
  if (kind === 'none') return [];
  if (ledger === undefined) {
    const who =
      kind === 'cron jobs'
        ? yaml`The CronJobs start the timed operations.`
        : yaml`The pod of timers.yaml starts the timed operations.`;
    return [yaml`# ${who}`, yaml`- name: SCHEDULE`, yaml`  value: 'off'`];
  }
  return [
    yaml`# At least one schedule cannot be a CronJob. So timers run in every pod, and each run is first claimed in this database.`,
    yaml`- name: SCHEDULE_LEDGER`,
    yaml`  value: ${containerArgument(ledger)}`,
  ];
}

function cronJob(
  { name, operation, trigger, schedule, timezone }: CronJobPlan,
  service: Written<'yaml'>,
): Record<string, Written<'yaml'>> {
  const full = yaml`${service}-${yaml.word(name)}`;
  return {
    trigger: yaml.comment(`operation ${operation}, trigger ${trigger}`),
    // CronJob names are limited to 52 characters.
    name: full.length <= 52 ? full : yaml`${service}-${yaml.word(hash(name))}`,
    cron: yaml.string(schedule),
    timezone: yaml.string(timezone),
    operation: containerArgument(operation),
  };
}

/** A container argument, escaped because Kubernetes would replace `$(NAME)` with the value of a variable. */
function containerArgument(text: string): Written<'yaml'> {
  return yaml.string(text.replaceAll('$', '$$$$'));
}

function hash(text: string): string {
  return sha256(text).slice(0, 24);
}
