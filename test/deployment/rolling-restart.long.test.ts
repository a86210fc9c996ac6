/** 100 keep-alive clients behind a load balancer, while the instance that serves them is replaced repeatedly. STOPS=20 is the long form. */
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { RunningService } from '../helpers/running-service.js';
import { buildEntries, prepare, sharedServer } from '../service/services.js';

const rounds = Number(process.env.STOPS ?? 4);

/** Sends a GET; returns its status, or the connection error. */
function get(agent: Agent, url: string): Promise<string> {
  return new Promise((resolve) => {
    request(url, { agent }, (response) => {
      response.on('error', (error) => {
        resolve(error.message);
      });
      response.resume().on('end', () => {
        resolve(response.complete ? String(response.statusCode) : 'cut off');
      });
    })
      .on('error', (error) => {
        resolve(error.message);
      })
      .end();
  });
}

test('SIGTERM under 100 keep-alive clients: no request fails, and every instance ends with 0', async () => {
  const folder = (await buildEntries('rolling-restart', ['postgresql'])).get('postgresql') ?? '';
  const variables = await prepare(await sharedServer.postgresql(), 'postgresql', 'deployment_rolling');
  // Ten slow statements fill the pool; on a busy machine, other requests wait longer than usual for a connection.
  const start = () =>
    RunningService.start(folder, { ...variables, SHUTDOWN_DELAY: '1000', POOL_WAIT: '20000' });
  let current = await start();
  /** The instance to which the load balancer sends requests. */
  let target = current.url;
  let isOver = false;
  const outcomes = new Map<string, number>();
  /** The instance and time of each failed request. */
  const failures: string[] = [];
  const signalled = new Map<string, number>();
  const reportAge = (instance: string, sent: number): string => {
    const since = signalled.get(instance);
    return since === undefined ? 'before any signal' : `sent ${Math.round(sent - since)} ms after the signal`;
  };
  const agent = new Agent({ keepAlive: true, maxSockets: 100, maxFreeSockets: 100 });
  const clients = Array.from({ length: 100 }, async (_, client) => {
    for (let index = 0; !isOver; index += 1) {
      // Every tenth client regularly sends a request with a slow statement.
      const path = client % 10 === 0 && index % 20 === 0 ? '/slow/1' : `/echo/${client}`;
      const [instance, sent] = [target, performance.now()];
      const outcome = await get(agent, `${instance}${path}`);
      if (outcome !== '200') failures.push(`${path}: ${outcome}, ${reportAge(instance, sent)}`);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      await delay(20);
    }
  });
  const statuses: (number | null)[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const next = await start();
    signalled.set(current.url, performance.now());
    const ended = current.stop();
    // The load balancer notices with a delay that the old instance is stopping.
    await delay(300);
    target = next.url;
    statuses.push(await ended);
    current = next;
  }
  isOver = true;
  await Promise.all(clients);
  agent.destroy();
  statuses.push(await current.stop());
  console.log(
    `SIGTERM under 100 keep-alive clients, ${rounds} times: ${JSON.stringify(Object.fromEntries(outcomes))}`,
  );
  expect(failures).toEqual([]);
  expect(outcomes.get('200')).toBeGreaterThan(rounds);
  expect(statuses).toEqual(Array.from({ length: rounds + 1 }, () => 0));
});
