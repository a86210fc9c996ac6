/**
 * Node 20 has no `navigator`, which pg uses to detect Cloudflare. Without it, pg tries `Response`, which loads Node's whole fetch: a
 * seventh of the start of a service. This defines what Node 21 provides. Import it before pg.
 */
if (!('navigator' in globalThis)) {
  const [major] = process.versions.node.split('.');
  Object.defineProperty(globalThis, 'navigator', {
    value: Object.freeze({ userAgent: `Node.js/${major}` }),
    configurable: true,
    enumerable: false,
    writable: true,
  });
}
