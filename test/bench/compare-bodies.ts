/** Before and after anything is timed: all servers send the same responses. */

/** A server with its name for the message. */
export interface RespondingServer {
  readonly name: string;
  readonly url: string;
}

/** Asks all servers for all paths, with a body by POST; throws when a status or a body differs from that of the first server. */
export async function compareBodies(
  servers: readonly RespondingServer[],
  paths: readonly string[],
  body?: string,
): Promise<void> {
  for (const path of new Set(paths)) {
    const responses = await Promise.all(servers.map(async ({ url }) => responseOf(url + path, body)));
    const [first = ''] = responses;
    for (const [index, response] of responses.entries()) {
      if (response === first) continue;
      const [name, other] = [servers[0]?.name ?? '', servers[index]?.name ?? ''];
      throw new Error(
        `${name} and ${other} respond to ${path} differently:\n  ${cut(first)}\n  ${cut(response)}`,
      );
    }
  }
}

async function responseOf(url: string, body: string | undefined): Promise<string> {
  const sent = body === undefined ? {} : { method: 'POST', headers: jsonBody, body };
  const response = await fetch(url, { ...sent, signal: AbortSignal.timeout(30_000) });
  return `${response.status} ${await response.text()}`;
}

const jsonBody = { 'Content-Type': 'application/json' };

function cut(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
