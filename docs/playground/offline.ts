/** The service worker: keeps the files of the playground of one build, so that the page works offline after its first load. */
export {};

declare const build: {
  readonly name: string;
  /** The digests of all files, by their paths in the scope. */
  readonly files: Readonly<Record<string, string>>;
};

const worker = globalThis as unknown as ServiceWorkerGlobalScope;
const { scope } = worker.registration;
/** Sites of other versions can have the same origin. */
const prefix = `playground ${scope} `;
const name = `${prefix}${build.name}`;

worker.addEventListener('install', (event) => {
  event.waitUntil(keepAll());
});
worker.addEventListener('activate', (event) => {
  event.waitUntil(removeOthers());
});
worker.addEventListener('message', ({ data }) => {
  if (data === 'activate') void worker.skipWaiting();
});
worker.addEventListener('fetch', (event) => {
  const { request } = event;
  const [path = ''] = request.url.slice(scope.length).split(/[?#]/);
  const file = path === 'index.html' ? '' : path;
  if (request.method !== 'GET' || !request.url.startsWith(scope) || !Object.hasOwn(build.files, file)) return;
  event.respondWith(respond(request, file));
});

/** Fails if the host has files of another build: the page keeps working without the cache. */
async function keepAll(): Promise<void> {
  const cache = await caches.open(name);
  const requests = Object.entries(build.files).map(
    ([file, integrity]) => new Request(new URL(file, scope), { cache: 'no-cache', integrity }),
  );
  await cache.addAll(requests);
}

async function removeOthers(): Promise<void> {
  const names = await caches.keys();
  const old = names.filter((one) => one.startsWith(prefix) && one !== name);
  await Promise.all(old.map((one) => caches.delete(one)));
}

async function respond(request: Request, file: string): Promise<Response> {
  const { waiting } = worker.registration;
  // A newer build replaces this one with the next load of its only page.
  if (request.mode === 'navigate' && waiting !== null && (await worker.clients.matchAll()).length < 2) {
    waiting.postMessage('activate');
    return new Response('', { headers: { 'content-type': 'text/html', refresh: '0' } });
  }
  const cache = await caches.open(name);
  return (await cache.match(new URL(file, scope))) ?? fetch(request);
}
