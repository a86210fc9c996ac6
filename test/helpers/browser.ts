/** A headless browser for tests of the test page. */
import { chromium, type Browser } from 'playwright-core';
import { programPaths } from './install.js';

const requirement = {
  programs: ['chromium'],
  debianPackage: 'chromium',
  missing:
    'The tests need Chromium: install it so that `chromium` is in PATH, e.g. `apt-get install chromium` or `brew install chromium`.',
};

/** `options`: additional command-line options. */
export function startBrowser(...options: readonly string[]): Promise<Browser> {
  // Chromium's sandbox does not work for root.
  const args = [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), ...options];
  return chromium.launch({
    executablePath: programPaths(requirement).get('chromium') ?? '',
    args,
    timeout: 120_000,
  });
}
