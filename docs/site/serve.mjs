/** `npm --prefix docs run preview`: serves the built site on http://localhost:4173/, compressed and with the headers for caches that GitHub Pages sends. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
};

/** Serves the folder on a port of 127.0.0.1; 0 is any free port. Resolves with the server. */
export function serveSite(folder, port) {
  const packed = new Map();
  const server = createServer(async ({ url = '/', headers }, response) => {
    const path = normalize(decodeURIComponent(new URL(url, 'http://localhost').pathname));
    const file = join(folder, path.endsWith('/') ? `${path}index.html` : path);
    try {
      const bytes = packed.get(file) ?? gzipSync(await readFile(file), { level: 6 });
      packed.set(file, bytes);
      const type = types[extname(file)] ?? 'application/octet-stream';
      const tag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
      const kept = { etag: tag, 'cache-control': 'max-age=600' };
      if (headers['if-none-match'] === tag) response.writeHead(304, kept).end();
      else
        response
          .writeHead(200, {
            ...kept,
            'content-type': type,
            'content-encoding': 'gzip',
            'content-length': bytes.length,
          })
          .end(bytes);
    } catch {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found');
    }
  });
  return new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve(server)));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await serveSite(fileURLToPath(new URL('../dist/site', import.meta.url)), 4173);
  console.log('http://localhost:4173/');
}
