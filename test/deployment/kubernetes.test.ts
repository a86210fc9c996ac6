/** The manifests of the target `kubernetes`: valid, without secrets, and consistent with the service. */
import { describe, expect, test } from 'vitest';
import { compile, type Input } from '../../compiler/compile.js';
import { readAssets } from '../../compiler/generate/assets.js';
import { kubernetesExtras, type Target } from '../../compiler/generate/emit/service/target.js';
import { inputOf, repository, serviceFixtures } from '../helpers/service-fixture.js';
import { problemsOf, manifestsOf, type Manifest } from './manifests.js';

const assets = readAssets(repository);

async function filesOf(
  config: string,
  target: Target = 'kubernetes',
  more: Pick<Input, 'name' | 'extras'> = {},
): Promise<ReadonlyMap<string, string>> {
  const { files, diagnostics } = await compile(
    { config: { path: 'config.yaml', text: config }, target, ...more },
    assets,
  );
  if (files === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  return new Map(files.map(({ path, text }) => [path, text]));
}

/** The resources in `kubernetes/base`, and the settings and secrets next to it. */
function resources(files: ReadonlyMap<string, string>): Manifest[] {
  const paths = [...files.keys()].filter(
    (path) => path.startsWith('kubernetes/') && !/kustomization|README/.test(path),
  );
  return paths.flatMap((path) => manifestsOf(files.get(path) ?? ''));
}

/** A configuration of timed operations, with their schedules by name. */
function timed(operations: Readonly<Record<string, readonly string[]>>, withDatabase = true): string {
  const source = withDatabase
    ? { type: 'db', url: 'jdbc:postgresql://localhost/db' }
    : { type: 'rest', url: 'http://localhost' };
  const instruction = withDatabase ? { query: 'SELECT 1 AS a' } : { request: { url: '/', httpType: 'GET' } };
  return JSON.stringify({
    specification: '1.0',
    operations: Object.fromEntries(
      Object.entries(operations).map(([name, crons]) => [
        name,
        {
          triggers: crons.map((cron, index) => ({ name: `trigger ${index}`, cron })),
          fulfillments: [{ name: 'a', type: 'READ', datasource: 'main', instructions: [instruction] }],
        },
      ]),
    ),
    datasources: { main: source },
  });
}

interface Container {
  readonly command: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
}

function containerOf(manifest: object | undefined): Container {
  const { spec } = manifest as unknown as { spec: { template: { spec: { containers: Container[] } } } };
  const [container] = spec.template.spec.containers;
  if (container === undefined) throw new Error('no container');
  return container;
}

interface CronJob extends Manifest {
  readonly spec: { readonly schedule: string; readonly jobTemplate: { readonly spec: Manifest } };
}

function cronJobs(files: ReadonlyMap<string, string>): CronJob[] {
  return resources(files).filter((manifest): manifest is CronJob => manifest.kind === 'CronJob');
}

function environmentOf(files: ReadonlyMap<string, string>, name = 'service'): Record<string, string> {
  const deployment = resources(files).find(
    ({ kind, metadata }) => kind === 'Deployment' && metadata.name === name,
  );
  return Object.fromEntries(
    containerOf(deployment).env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])),
  );
}

/** A PodMonitor belongs to the Prometheus operator, whose schemas are not in any package. */
function isOfKubernetes({ kind }: Manifest): boolean {
  return kind !== 'PodMonitor';
}

describe.each(
  serviceFixtures().map((fixture) => ({ ...fixture, id: `${fixture.name}-${fixture.database}` })),
)('$id', (fixture) => {
  test('its manifests are what the schemas of Kubernetes ask for, and nothing is in them that no schema knows', async () => {
    const { files } = await compile({ ...inputOf(fixture), target: 'kubernetes' }, assets);
    const all = resources(new Map(files?.map(({ path, text }) => [path, text])));
    expect(all.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining([
        'Deployment',
        'Service',
        'HorizontalPodAutoscaler',
        'PodDisruptionBudget',
        'ConfigMap',
      ]),
    );
    for (const manifest of all.filter(isOfKubernetes))
      expect(problemsOf(manifest), manifest.metadata.name).toEqual([]);
  });
});

test('the comparison finds a wrong value, a missing one and an unknown field', () => {
  const [service] = manifestsOf(
    'apiVersion: v1\nkind: Service\nmetadata: { name: a }\nspec: { ports: [{ port: x, nme: http }] }\n',
  );
  expect(problemsOf(service as Manifest).map(String)).toEqual(
    expect.arrayContaining(['[object Object]', 'nobody knows /spec/ports/0/nme']),
  );
  const [job] = manifestsOf(
    'apiVersion: batch/v1\nkind: CronJob\nmetadata: { name: a }\nspec: { schedule: "* * * * *" }\n',
  );
  expect(problemsOf(job as Manifest)).not.toEqual([]);
  expect(problemsOf({ apiVersion: 'v9', kind: 'Service', metadata: { name: 'a' } })).not.toEqual([]);
});

describe('secrets', () => {
  test('no value of the configuration that may be one is in any file but .env', async () => {
    const [fixture] = serviceFixtures().filter(({ name }) => name === 'kubernetes');
    const files = await filesOf(fixture?.config ?? '');
    expect(files.get('.env')).toContain('secret-clerk');
    for (const [path, text] of files)
      if (path !== '.env') expect(text, path).not.toMatch(/secret-(?:key|client|clerk)/);
  });

  test('a URL is in the settings only if it contains nothing but an address', async () => {
    const config = timed({ a: ['0 0 0 * * *'] });
    const secretsWith = async (url: string) =>
      (await filesOf(config.replace('jdbc:postgresql://localhost/db', url))).get(
        'kubernetes/secrets.example.yaml',
      ) ?? '';
    expect(await secretsWith('jdbc:postgresql://db.internal:5432/x')).toBe('');
    expect(await secretsWith('jdbc:postgresql://me:hunter2@db/x')).toContain('DATASOURCE_MAIN_URL: ""');
    expect(await secretsWith('jdbc:postgresql://db/x?password=hunter2')).toContain('DATASOURCE_MAIN_URL: ""');
    expect(await secretsWith('jdbc:postgresql://${HOST:me:hunter2@db}/x')).toContain(
      'DATASOURCE_MAIN_URL: ""',
    );
  });
});

describe('timed operations', () => {
  test('whose schedules all can be CronJobs are CronJobs, and the pods keep no time', async () => {
    const files = await filesOf(
      timed({ 'say "hi" $(HOME) $$ ${X}': ['0 5 * * * *', '0 0 3 * * 0'], other: ['0 1 1 1 1 *'] }),
    );
    expect(
      cronJobs(files)
        .map(({ spec }) => spec.schedule)
        .sort(),
    ).toEqual(['0 3 * * 0', '1 1 1 1 *', '5 * * * *']);
    // Kubernetes turns two dollar signs into one, so it does not substitute variables.
    const commands = cronJobs(files).map(({ spec }) => containerOf(spec.jobTemplate).command.at(-1));
    expect(commands.map((text) => text?.replaceAll('$$', '$')).sort()).toEqual(
      ['other', ...Array<string>(2).fill('say "hi" $(HOME) $$ ${X}')].sort(),
    );
    expect(environmentOf(files)['SCHEDULE']).toBe('off');
    expect(environmentOf(files)['SCHEDULE_LEDGER']).toBeUndefined();
  });

  test('of which one cannot all stay in the pods, which claim each run in the ledger', async () => {
    const files = await filesOf(timed({ a: ['0 5 * * * *'], b: ['30 5 * * * *'] }));
    expect(cronJobs(files)).toEqual([]);
    expect(environmentOf(files)).toMatchObject({ SCHEDULE_LEDGER: 'main' });
    expect(environmentOf(files)['SCHEDULE']).toBeUndefined();
  });

  test('of which one cannot, and without a database: one pod keeps the time', async () => {
    const files = await filesOf(timed({ a: ['30 5 * * * *'] }, false));
    expect(environmentOf(files)['SCHEDULE']).toBe('off');
    expect(environmentOf(files, 'service-timers')['SCHEDULE']).toBe('on');
    for (const manifest of resources(files)) expect(problemsOf(manifest)).toEqual([]);
    expect(files.get('kubernetes/base/kustomization.yaml')).toContain('- timers.yaml');
  });

  test.each(['service', 'a'.repeat(27)])(
    'CronJobs of %s have DNS labels of at most 52 characters, and differ',
    async (service) => {
      const long = 'a very long name of an operation that goes on and on';
      const operations = [long, `${long} again`, `${long}, again`, '新聞', '聞新', '---', 'A', 'a b', 'a-b'];
      const files = await filesOf(
        timed(Object.fromEntries(operations.map((name) => [name, ['0 5 * * * *', '0 6 * * * *']]))),
        'kubernetes',
        { name: service },
      );
      const names = cronJobs(files).map(({ metadata }) => metadata.name);
      expect(names.length).toBe(operations.length * 2);
      expect(new Set(names).size).toBe(names.length);
      for (const name of names) expect(name).toMatch(/^[a-z0-9](?:[a-z0-9-]{0,50}[a-z0-9])$/);
    },
  );

  test('hostile names stay inside their scalars', async () => {
    const name = '"\n- evil: true\n# {{header}} \u2028 */ `${x}`';
    const [job] = cronJobs(await filesOf(timed({ [name]: ['0 5 * * * *'] })));
    expect(job && containerOf(job.spec.jobTemplate).command.at(-1)?.replaceAll('$$', '$')).toBe(name);
  });
});

test('Ingress, NetworkPolicy and PodMonitor are there where they are asked for, and two services have no object in common', async () => {
  const config = timed({ a: ['30 5 * * * *'] }, false);
  const named = async (name: string): Promise<Manifest[]> =>
    resources(await filesOf(config, 'kubernetes', { name, extras: kubernetesExtras }));
  const [one, other] = [await named('one'), await named('other')];
  const kinds = ['Ingress', 'NetworkPolicy', 'PodMonitor'];
  expect(one.map(({ kind }) => kind)).toEqual(expect.arrayContaining(kinds));
  for (const { kind } of resources(await filesOf(config))) expect(kinds).not.toContain(kind);
  for (const manifest of one)
    if (isOfKubernetes(manifest)) expect(problemsOf(manifest), manifest.metadata.name).toEqual([]);
  const monitor = one.find(({ kind }) => kind === 'PodMonitor');
  expect(monitor).toMatchObject({
    apiVersion: 'monitoring.coreos.com/v1',
    spec: {
      selector: { matchLabels: { 'app.kubernetes.io/name': 'one' } },
      podMetricsEndpoints: [{ port: 'management', path: '/metrics' }],
    },
  });
  const idOf = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.name}`;
  expect(one.map(idOf).filter((id) => other.some((manifest) => idOf(manifest) === id))).toEqual([]);
  expect(JSON.stringify(other)).not.toContain('"one"');
  const base = (await filesOf(config, 'kubernetes', { extras: ['ingress'] })).get(
    'kubernetes/base/kustomization.yaml',
  );
  expect(base).toContain('- ingress.yaml');
  expect(base).not.toContain('- pod-monitor.yaml');
});

test('the same configuration makes the same bytes, and docker the same files without manifests', async () => {
  const config = timed({ a: ['0 5 * * * *'] });
  const [one, two, docker] = [await filesOf(config), await filesOf(config), await filesOf(config, 'docker')];
  expect([...one]).toEqual([...two]);
  const differing = [...one.keys()].filter((path) => one.get(path) !== docker.get(path));
  expect(differing.every((path) => path.startsWith('kubernetes/') || path === 'README.md')).toBe(true);
});
