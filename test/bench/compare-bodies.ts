/** Checks that all servers send the same responses, before and after a measurement. */

/** A server, with a name for error messages. */
export interface RespondingServer {
  readonly name: string;
  readonly url: string;
}

/** Sends each path to all servers, by POST if there is a body; throws if a status or a body differs from the first server's. */
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
