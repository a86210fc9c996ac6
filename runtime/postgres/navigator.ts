/**
 * Defines `navigator` as in Node 21; Node 20 lacks this global, which pg uses to detect Cloudflare. Otherwise pg would access
 * `Response`, which loads all of Node's fetch and takes a seventh of the start time of a service. Import before pg.
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
