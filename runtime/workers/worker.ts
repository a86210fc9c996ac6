/** A worker, one of several processes of a service: serves requests, and exchanges messages with the primary process. */
import type { Family } from '../management/metrics.js';
import type { Readiness } from '../management/readiness.js';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Management } from '../management/listener.js';
import type { Settings } from '../server/settings.js';

/** A question from the primary process to a worker. */
export interface Question {
  readonly id: number;
  readonly ask: 'metrics' | 'readiness';
}

/** The response of a worker, with the id of the question. */
export interface WorkerResponse {
  readonly id: number;
  readonly response: readonly Family[] | Readiness;
}

/**
 * Signals of a worker: `turning` is sent every second while the event loop runs, `deaf` when the worker has stopped listening. The
 * primary process sends `settled` when all workers have stopped listening.
 */
export type Signal = 'turning' | 'deaf' | 'settled';

function isQuestion(message: unknown): message is Question {
  return typeof message === 'object' && message !== null && 'ask' in message && 'id' in message;
}

export function isWorkerResponse(message: unknown): message is WorkerResponse {
  return typeof message === 'object' && message !== null && 'response' in message && 'id' in message;
}

/** Milliseconds between two reports. */
const heartbeat = 1000;
/** Maximum milliseconds to wait for other processes, which may be stuck. */
const settling = 1000;
/** Maximum milliseconds to wait for queued connections: a worker that is silent for longer counts as stuck. */
const handingOver = 5000;

/** A worker, as the service uses it. */
export interface WorkerProcess {
  /** Starts to respond to questions from the primary process. */
  readonly respondToPrimary: (management: Management) => void;
  /** Resolves when the connections waiting in the primary process have been passed to workers. */
  readonly handedOver: () => Promise<void>;
  /** Reports that this process has stopped listening, and resolves when all processes have. */
  readonly settled: () => Promise<void>;
}

/** Starts to report that the event loop is running. */
export function asWorker({ host, port }: Pick<Settings, 'host' | 'port'>): WorkerProcess {
  setInterval(() => {
    send('turning');
  }, heartbeat).unref();
  return {
    respondToPrimary(management) {
      process.on('message', (message) => {
        if (!isQuestion(message)) return;
        const { id, ask } = message;
        const response = ask === 'metrics' ? management.metrics() : management.readiness();
        void response.then((value) => {
          send({ id, response: value });
        });
      });
    },
    async handedOver() {
      // The primary process resets queued connections when the last worker stops listening. A connection added to the end of the queue
      // shows when the queue is empty: the worker that receives it closes it.
      const last = connect({ host, port }).end();
      const closed = once(last, 'close').catch(() => undefined);
      await Promise.race([closed, delay(handingOver, undefined, { ref: false })]);
      last.destroy();
    },
    async settled() {
      const settled = new Promise<void>((resolve) => {
        process.on('message', (message) => {
          if (message === ('settled' satisfies Signal)) resolve();
        });
      });
      send('deaf');
      await Promise.race([settled, delay(settling, undefined, { ref: false })]);
    },
  };
}

/** Sends a message, unless the primary process has ended. */
function send(message: WorkerResponse | Signal): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}
