/** One of several processes of a service: it answers requests, and reports to the primary process. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Management } from '../management/listener.js';
import { isQuestion, type Answer, type Signal } from './messages.js';

/** Milliseconds between two signs of life. */
const heartbeat = 1000;
/** Milliseconds to wait for the other processes: one of them may be stuck. */
const settling = 1000;

/** What a process does that is one of several. */
export interface WorkerProcess {
  /** Answers the questions of the primary process from now on. */
  readonly answerPrimary: (management: Management) => void;
  /** Reports that this process does not listen any more, and ends when none does. */
  readonly settled: () => Promise<void>;
}

/** Reports that its event loop turns from now on. */
export function asWorker(): WorkerProcess {
  setInterval(() => {
    send('turning');
  }, heartbeat).unref();
  return {
    answerPrimary(management) {
      process.on('message', (message) => {
        if (!isQuestion(message)) return;
        const { id, ask } = message;
        const told = ask === 'metrics' ? management.metrics() : management.readiness();
        void told.then((answer) => {
          send({ id, answer });
        });
      });
    },
    async settled() {
      const told = new Promise<void>((resolve) => {
        process.on('message', (message) => {
          if (message === ('settled' satisfies Signal)) resolve();
        });
      });
      send('deaf');
      await Promise.race([told, delay(settling, undefined, { ref: false })]);
    },
  };
}

/** The primary process may be gone. */
function send(message: Answer | Signal): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}
