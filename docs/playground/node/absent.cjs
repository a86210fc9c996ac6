/** In place of packages that need a network or a file system: whatever is used of them throws an error. */
function absent() {
  throw new Error('The playground does not have this package');
}

module.exports = new Proxy(absent, { get: (_, name) => (name === '__esModule' ? false : absent) });
