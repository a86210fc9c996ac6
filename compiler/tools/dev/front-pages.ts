/** Responses that `apikiln dev` sends itself: messages, and test pages with the overlay. */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** Path of the test page. */
export const page = '/docs-ui';

/** Message for failed requests. */
export const unavailable = 'The service is not running: the terminal of apikiln dev shows why';

/** Sends the service's test page with the overlay. */
export async function sendPage(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
  } catch {
    response.destroy();
    return;
  }
  const gone = ['content-length', 'connection', 'keep-alive', 'transfer-encoding'];
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).filter(([name]) => !gone.includes(name)),
  );
  const text = withOverlay(Buffer.concat(chunks).toString('utf8'));
  sendText(response, incoming.statusCode ?? 502, 'text/html; charset=utf-8', text, headers);
}

/** Sends a page with only the overlay. */
export function sendEmptyPage(response: ServerResponse): void {
  sendText(response, 503, 'text/html; charset=utf-8', withOverlay(emptyPage));
}

/** Before the scripts of the page: modules run in the order of the document. */
function withOverlay(html: string): string {
  const overlay = '<script src="docs-ui/apikiln-dev.js" type="module"></script>';
  return html.replace(/<script |<\/body>/, (next) => `${overlay}\n    ${next}`);
}

const emptyPage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Test page</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
  </head>
  <body>
    <p>The service is not running yet.</p>
  </body>
</html>
`;

export function sendText(
  response: ServerResponse,
  status: number,
  type: string,
  text: string,
  headers: OutgoingHttpHeaders = {},
): void {
  if (response.destroyed) return;
  const length = Buffer.byteLength(text);
  response
    .writeHead(status, {
      ...headers,
      'content-type': type,
      'content-length': length,
      'cache-control': 'no-store',
    })
    .end(text);
}

export function sendMessage(response: ServerResponse, status: number, message: string): void {
  sendText(response, status, 'application/json; charset=utf-8', JSON.stringify({ message }));
}
