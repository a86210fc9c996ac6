/** Runs one version of a service under `apikiln dev`: loads the shared packages, then the version that it gets as a message. */
import { subscribe } from 'node:diagnostics_channel';
import { existsSync } from 'node:fs';
import { IncomingMessage, Server } from 'node:http';

const [, , shared] = process.argv;
// The service reads its own command line.
process.argv.length = 2;
process.setSourceMapsEnabled(true);
// The parent process has ended, so end as well.
process.on('disconnect', () => process.exit(0));
process.once('message', (first) => {
  if (first === 'shutdown') process.exit(0);
  const { main, environment, hosts } = first;
  respondOnlyTo(new RegExp(hosts, 'i'));
  process.on('message', async (message) => {
    if (message === 'shutdown') {
      // On Windows in place of SIGTERM, which ends a service that has not started yet.
      if (process.listenerCount('SIGTERM') === 0) process.exit(0);
      return;
    }
    const { timers, run, refused } = message;
    if (refused !== undefined) {
      process.send({ id: refused.id, refusal: refusals.get(refused.requestId) });
      return;
    }
    const { schedule } = await import(timers);
    if (run !== undefined) process.send({ ...(await runNow(schedule, run.operation)), id: run.id });
    // Timers belong to the newest version alone: what they have begun ends, and nothing ticks any more.
    else await schedule.stop();
  });
  Object.assign(process.env, environment);
  start(main).catch((error) => {
    console.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
    process.exit(1);
  });
});
const { record } = await import(shared);

/** Why the credentials of the last requests were refused, by their ids. No response contains it. */
const refusals = new Map();
const maxRefusals = 1000;
subscribe('apikiln.refusal', ({ requestId, refusal }) => {
  refusals.delete(requestId);
  refusals.set(requestId, refusal);
  if (refusals.size > maxRefusals) refusals.delete(refusals.keys().next().value);
});

// Random strings, passwords and hashes of calls must not be recorded.
subscribe('apikiln.secret', (secret) => process.send({ secret }));

// The terminal shows mails, so that their links can be used.
subscribe('apikiln.mail', (mail) => process.send({ mail }));

/**
 * `apikiln dev` refuses other hosts, and changes by pages of other origins, before it passes a request on. A page can reach this port too:
 * by a name that was pointed to this machine (DNS rebinding), or by the port itself, which no request that was passed on names.
 */
function respondOnlyTo(hosts) {
  const { emit } = Server.prototype;
  Server.prototype.emit = function (event, ...args) {
    const [request, response] = args;
    const host = request instanceof IncomingMessage ? request.headers.host : undefined;
    const { address, port } = this.address() ?? {};
    // Other servers in this process are of the user's own pages, and what they respond to is theirs.
    const changes =
      request?.constructor.name === 'ServedRequest' && !['GET', 'HEAD', 'OPTIONS'].includes(request.method);
    const isForOthers = host !== undefined && (!hosts.test(host) || (changes && host.endsWith(`:${port}`)));
    // Servers that the user's own pages have opened for other machines have names of their own.
    if (!isForOthers || address !== '127.0.0.1') return emit.call(this, event, ...args);
    response.destroy();
    return true;
  };
}

/** The service loads the user's own pages some time after its start: a version counts as started only with them. */
async function start(main) {
  await import(main);
  const app = new URL('app.js', main);
  if (existsSync(app)) await import(app);
  process.send({ hasPages: true });
}

/** One run of a timed operation, with its steps. */
async function runNow(schedule, operation) {
  const { trace, result } = record(operation, async () => {
    return { status: (await schedule.run(operation)) ? 200 : 500 };
  });
  const { status } = await result;
  return { succeeded: status === 200, trace };
}
