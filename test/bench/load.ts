/** The load generator: wrk, with the same parameters for everybody. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { programPaths } from '../helpers/install.js';
import { repository } from '../helpers/service-fixture.js';

/** The requests of a load, and how many of them are sent at a time. */
export interface Load {
  /** A path with `%d` in it, as the marker of an id. */
  readonly path: string;
  /** Ids go from 1 to this. */
  readonly ids: number;
  /** Keep-alive connections, each of which sends the next request at the response. */
  readonly connections: number;
  /** The body that is sent by POST; left out where it is GET. */
  readonly body?: string;
}

/** One run against one server. */
export interface Sample {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  /** Milliseconds. */
  readonly p99: number;
  /** Responses from 400 on, and requests without a response. No server here redirects: their statuses are compared with the bodies. */
  readonly failures: number;
  /** Milliseconds of processor time that the server used for each request, which a busy machine hardly changes. */
  readonly processor?: number;
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

/** Sends requests for that many seconds. */
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
    p50: p50 / 1000,
    p99: p99 / 1000,
    // A server that never responds has failed, even if nobody noticed an error.
    failures: requests === 0 ? Math.max(1, failures) : failures,
  };
}
