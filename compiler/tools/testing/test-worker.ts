/** Runs tests one after another, with separate databases, third parties and service, so that several workers can run concurrently. */
import type { CoverCounts } from './cover-counts.js';
import type { Config } from '../../read/config/config-model.js';
import type { ApiEndpoint } from '../../read/openapi/api-model.js';
import type { LocalDatabase } from '../local/local-database.js';
import { StubServer } from '../local/stub-server.js';
import { AskedService } from './asked-service.js';
import type { StubbedApis } from './stubbed-apis.js';
import { runSteps } from './run-steps.js';
import { serviceEnvironment } from './service-environment.js';
import { TestCredentials } from './test-credentials.js';
import type { ConfigTest, Stub, TestFile } from './read/test-model.js';
import type { TestResult } from './test-result.js';

interface RunningService {
  readonly key: string;
  readonly asked: AskedService;
  readonly credentials: TestCredentials;
}

/** Options shared by all workers of a run. */
export interface WorkerOptions {
  readonly config: Config;
  /** The endpoints of the API description by the names of operations. */
  readonly endpoints: ReadonlyMap<string, ApiEndpoint>;
  /** The folder of the compiled service. */
  readonly folder: string;
  /** Starts new databases with the rows of the seed, by datasource name; several datasources may share one. */
  readonly startDatabases: () => Promise<ReadonlyMap<string, LocalDatabase>>;
  /** The content of a file next to a test file. */
  readonly readFile: (path: string, beside: string) => Buffer;
}

/**
 * Milliseconds before a call to an unresponsive third party fails, unless the datasource has a `timeout`, which is used up to the longest
 * time.
 */
const shortTime = 1_500;
const longestTime = 10_000;
/** Milliseconds for the rest of such a call. */
const otherTime = 500;

export class TestWorker {
  #service: RunningService | undefined;
  #third: StubbedApis | undefined;
  #isFresh = true;

  private constructor(
    private readonly options: WorkerOptions,
    private readonly databases: ReadonlyMap<string, LocalDatabase>,
    private readonly stubs: ReadonlyMap<string, StubServer>,
    private readonly counts: CoverCounts,
  ) {}

  static async start(options: WorkerOptions, counts: CoverCounts): Promise<TestWorker> {
    const databases = await options.startDatabases();
    const stubs = new Map<string, StubServer>();
    const worker = new TestWorker(options, databases, stubs, counts);
    try {
      for (const { name, type } of options.config.datasources) {
        if (type === 'smtp')
          stubs.set(
            name.value,
            await StubServer.start(
              (request) => worker.#third?.playMail(name.value, request) ?? { status: 450 },
            ),
          );
        if (type !== 'rest') continue;
        stubs.set(
          name.value,
          await StubServer.start((request) => worker.#third?.play(name.value, request) ?? { status: 501 }),
        );
      }
      return worker;
    } catch (error) {
      await worker.stop();
      throw error;
    }
  }

  async run(file: TestFile, test: ConfigTest): Promise<TestResult> {
    const start = performance.now();
    const { asked: service, credentials } = await this.#serviceFor(file, test);
    const { readFile, config, endpoints } = this.options;
    await this.#reset(test);
    const { failures, isStuck } = await runSteps(test, {
      config,
      endpoints,
      service,
      credentials,
      databases: this.databases,
      readFile: (path) => readFile(path, file.source.path),
      play: (third) => {
        this.#third = third;
      },
    });
    // Unfinished work would interfere with the next test.
    if (isStuck) await this.#stopService();
    for (const stub of this.stubs.values()) if (failures.length > 0) stub.breakOff();
    return { file, test, failures, milliseconds: performance.now() - start };
  }

  async #reset({ seed }: ConfigTest): Promise<void> {
    for (const database of new Set(this.databases.values())) {
      if (!this.#isFresh) await database.restore();
      if (!seed) await database.clear();
    }
    this.#isFresh = false;
  }

  /** Starts or reuses the service with the environment that the test needs. */
  async #serviceFor(file: TestFile, test: ConfigTest): Promise<RunningService> {
    const environment = environmentOf(file, test, this.options.config);
    const key = JSON.stringify(environment);
    if (this.#service?.key === key) return this.#service;
    await this.#stopService();
    const { config, folder } = this.options;
    const credentials = await TestCredentials.start(config, environment);
    try {
      const { settings } = credentials;
      const asked = await AskedService.start({
        folder,
        environment: serviceEnvironment(config, this.databases, this.stubs, settings, environment),
      });
      this.#service = { key, asked, credentials };
      return this.#service;
    } catch (error) {
      await credentials.stop();
      throw error;
    }
  }

  async #stopService(): Promise<void> {
    const service = this.#service;
    this.#service = undefined;
    if (service === undefined) return;
    await service.credentials.stop();
    try {
      const { counts = {} } = await service.asked.ask({ kind: 'counts' });
      this.counts.add(counts);
    } catch {
      // The service has exited by itself, which its tests have reported.
    }
    await service.asked.stop();
  }

  async stop(): Promise<void> {
    await this.#stopService();
    await Promise.all([
      ...[...this.stubs.values()].map((stub) => stub.stop()),
      ...[...new Set(this.databases.values())].map((database) => database.stop()),
    ]);
  }
}

/** The environment that a test needs in addition to that of all tests. */
export function environmentOf(
  file: TestFile,
  { steps }: ConfigTest,
  config: Config,
): Readonly<Record<string, string>> {
  const times = steps.flatMap(({ stubs }) => {
    const silent = stubs.filter(({ fault, times }) => fault === 'timeout' && times > 0);
    return silent.length === 0 ? [] : [silentTime(silent, config)];
  });
  if (times.length === 0) return file.environment;
  const time = String(Math.max(...times));
  return { REQUEST_TIMEOUT: time, SCHEDULE_TIMEOUT: time, ...file.environment };
}

/** Milliseconds until each of these requests reaches the `timeout` of its datasource, unless that takes too long. */
function silentTime(stubs: readonly Stub[], { datasources }: Config): number {
  const seconds = stubs.reduce((sum, { datasource, times }) => {
    const timeout = datasources.find(({ name }) => name.value === datasource)?.timeout;
    return sum + times * (timeout ?? Infinity);
  }, 0);
  const time = seconds * 1000 + otherTime;
  return time > longestTime ? shortTime : Math.max(shortTime, time);
}
