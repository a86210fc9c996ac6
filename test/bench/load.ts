/** The load generator: wrk, with the same parameters for all servers. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { programPaths } from '../helpers/install.js';
import { repository } from '../helpers/service-fixture.js';

/** The requests of a load, and their concurrency. */
export interface Load {
  /** A path where `%d` is replaced by an id. */
  readonly path: string;
  /** Ids range from 1 to this number. */
  readonly ids: number;
  /** Keep-alive connections; each sends its next request after the response. */
  readonly connections: number;
  /** The body sent by POST. If it is missing, GET is used. */
  readonly body?: string;
}

/** One run against one server. */
export interface Sample {
  readonly perSecond: number;
  /** The number of responses. */
  readonly requests: number;
  /** In milliseconds. */
  readonly p50: number;
  /** In milliseconds. */
  readonly p99: number;
  /**
   * Responses with status 400 and above, and requests without a response. Redirects need not be counted: compareBodies compares the
   * statuses.
   */
  readonly failures: number;
  /** Processor time of the server for each request, in milliseconds; hardly affected by a busy machine. */
  readonly processor?: number;
  /** Processor time of the server's database for each request, in milliseconds. */
  readonly database?: number;
}

interface Figures {
  readonly requests: number;
  readonly microseconds: number;
  readonly p50: number;
  readonly p99: number;
  readonly failures: number;
}

const requirement = {
  programs: ['wrk'],
  debianPackage: 'wrk',
  missing:
    'The benchmark needs the load generator wrk: install it so that it is in PATH, e.g. `apt-get install wrk` or `brew install wrk`.',
};

/** Sends requests for `seconds`. */
export async function runLoad(url: string, load: Load, seconds: number): Promise<Sample> {
  const wrk = programPaths(requirement).get('wrk') ?? '';
  const { stdout } = await promisify(execFile)(wrk, [
    ...['-t1', `-c${load.connections}`, `-d${seconds}s`, '--timeout', '30s'],
    ...[
      '-s',
      join(repository, 'test/bench/wrk.lua'),
      url,
      '--',
      load.path,
      String(load.ids),
      load.body ?? '',
    ],
  ]);
  const line = /^figures (.*)$/m.exec(stdout)?.[1];
  if (line === undefined) throw new Error(`wrk gave no figures:\n${stdout}`);
  const { requests, microseconds, p50, p99, failures } = JSON.parse(line) as Figures;
  return {
    perSecond: requests / (microseconds / 1e6),
    requests,
    p50: p50 / 1000,
    p99: p99 / 1000,
    // A server that never responds has failed, even if wrk reports no errors.
    failures: requests === 0 ? Math.max(1, failures) : failures,
  };
}
