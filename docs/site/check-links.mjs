/** Links within the built site lead to files and anchors that it has. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** The broken links of all pages, one line each. `base`: the path of the site on its host. */
export function checkLinks(site, base) {
  const pages = readdirSync(site, { recursive: true }).filter((name) => name.endsWith('.html'));
  const texts = new Map(pages.map((name) => [name, readFileSync(join(site, name), 'utf8')]));
  const anchors = new Map([...texts].map(([name, text]) => [name, new Set(idsOf(text))]));
  const broken = [];
  for (const [name, text] of texts)
    for (const link of new Set(linksOf(text))) {
      const url = new URL(link, `http://site${base}${name}`);
      if (url.host !== 'site') continue;
      const path = decodeURIComponent(url.pathname.slice(base.length));
      const file = path === '' || path.endsWith('/') ? `${path}index.html` : path;
      const target = existsSync(join(site, file)) ? file : undefined;
      // After the playground's path is a state, not an anchor.
      const anchor = path === '' ? '' : decodeURIComponent(url.hash.slice(1));
      if (target === undefined) broken.push(`${relative('.', name)}: ${link} is no file`);
      else if (anchor !== '' && anchors.get(target)?.has(anchor) !== true)
        broken.push(`${name}: ${link} has no anchor`);
    }
  return broken;
}

function linksOf(text) {
  const found = text.matchAll(/<(?:a|img|script|link)\b[^>]*?\s(?:href|src)="([^"]*)"/g);
  return [...found].map(([, link]) => link.replaceAll('&amp;', '&')).filter((link) => !/^[a-z]+:/.test(link));
}

function idsOf(text) {
  return [...text.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);
}
