/** One of several processes of a service: it answers requests, and tells the primary process of itself. */
import type { Management } from '../management/listener.js';
import { isQuestion, type Answer } from './messages.js';

/** Answers the questions of the primary process from now on. */
export function answerPrimary(management: Management): void {
  process.on('message', (message) => {
    if (!isQuestion(message)) return;
    const { id, ask } = message;
    const told = ask === 'metrics' ? management.metrics() : management.readiness();
    void told.then((answer) => {
      // The primary process may have gone meanwhile.
      if (process.connected) process.send?.({ id, answer } satisfies Answer);
    });
  });
}
