/**
 * Node 20 has no `navigator`, and pg, which asks it whether it runs at Cloudflare, tries `Response` then: that loads Node's whole fetch, a
 * seventh of the start of a service. This is what Node 21 has there. To be imported before pg.
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
