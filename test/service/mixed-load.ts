/** Reads and writes by many clients through several instances of the service, and the responses. */
import { ask } from './services.js';

export interface MixedLoad {
  /** The number of requests by kind and status, such as `POST 201`. */
  readonly statuses: ReadonlyMap<string, number>;
  /** The amount of each entry with an acknowledged write. */
  readonly acknowledged: ReadonlyMap<string, number>;
  /** Entries whose creation was a 503, so they must not exist. */
  readonly refused: ReadonlySet<string>;
  /** Responses that do not match the request. */
  readonly wrong: readonly string[];
}

/** Each client creates and changes entries through one instance, and reads them through another. */
export async function mixedLoad(
  urls: readonly string[],
  clients: number,
  rounds: number,
): Promise<MixedLoad> {
  const statuses = new Map<string, number>();
  const acknowledged = new Map<string, number>();
  const refused = new Set<string>();
  const wrong: string[] = [];
  const count = (what: string) => statuses.set(what, (statuses.get(what) ?? 0) + 1);
  const client = async (name: number) => {
    for (let round = 0; round < rounds; round += 1) {
      const url = urls[(name + round) % urls.length] ?? '';
      const tag = `tag-${name}-${round}`;
      const created = await ask(url, 'POST', '/entries', { tag, amount: round });
      count(`POST ${created.status}`);
      if (created.status === 201) acknowledged.set(tag, round);
      if (created.status === 503) refused.add(tag);
      const changed = await ask(url, 'PUT', `/entries/${tag}`, { amount: round + 1000 });
      count(`PUT ${changed.status}`);
      if (changed.status === 200) acknowledged.set(tag, round + 1000);
      // The other instance may use another node, which may not have the row yet.
      const read = await ask(urls[name % urls.length] ?? '', 'GET', `/entries/${tag}`);
      count(`GET ${read.status}`);
      if (read.status === 200 && (read.body as { tag: unknown }).tag !== tag) wrong.push(tag);
      const echo = await ask(url, 'GET', `/echo/${name}?other=${round}`);
      count(`echo ${echo.status}`);
      if (echo.text !== JSON.stringify({ value: String(name), other: String(round) })) wrong.push(echo.text);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, name) => client(name)));
  return { statuses, acknowledged, refused, wrong };
}

/** Contradictions between rows and responses: missing acknowledged writes, and existing rejected ones. */
export function untrue(
  { acknowledged, refused }: MixedLoad,
  rows: readonly { readonly [field: string]: unknown }[],
): string[] {
  const there = new Map(rows.map(({ tag, amount }) => [String(tag), amount]));
  const missing = [...acknowledged].flatMap(([tag, amount]) => (there.get(tag) === amount ? [] : [tag]));
  return [...missing, ...[...refused].filter((tag) => there.has(tag))];
}
