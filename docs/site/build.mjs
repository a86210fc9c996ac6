/**
 * `npm --prefix docs run build`: the site in docs/dist/site, which any host serves. SITE_BASE is the path on the host, `/` by default;
 * it begins and ends with a slash. SITE_VERSIONS lists older versions, `0.2.0,0.1.0`; each is built from its tag with SITE_BASE=/0.2.0/ and
 * SITE_ROOT=/, the path of the newest site, and copied to its folder there. Needs `npm run build` before, which packs the runtime and
 * PostgreSQL for the playground.
 */
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vitepress';
import { buildPlayground } from '../playground/build.mjs';
import { checkLinks } from './check-links.mjs';
import { fragmentsOf } from './examples.mjs';
import { base, pageOf, pageText, repository, root, sources, version } from './pages.mjs';

const docs = fileURLToPath(new URL('..', import.meta.url));
const dist = join(docs, 'dist');

for (const folder of ['pages', 'public', 'site'])
  rmSync(join(dist, folder), { recursive: true, force: true });
for (const source of sources()) {
  const path = join(dist, 'pages', pageOf(source));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, pageText(source, fragmentsOf(source)));
}
mkdirSync(join(dist, 'public'), { recursive: true });
for (const picture of ['docs-ui.png', 'docs-ui-phone.png'])
  copyFileSync(join(repository, '.github', picture), join(dist, 'public', picture));

await build(docs);
await buildPlayground(join(dist, 'site'));
if (root === base) {
  const older = (process.env.SITE_VERSIONS ?? '').split(',').filter((one) => one !== '');
  writeFileSync(join(dist, 'site/versions.json'), JSON.stringify([version, ...older]));
}
const broken = checkLinks(join(dist, 'site'), base);
for (const link of broken) console.error(link);
if (broken.length > 0) process.exitCode = 1;
