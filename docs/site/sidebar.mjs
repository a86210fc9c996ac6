/** The sidebar of the site: all pages but the changelog, by folder. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from './pages.mjs';

const groups = [
  ['Start', /^docs\/[^/]+$/],
  ['Recipes', /^docs\/recipes\//],
  ['Reference', /^docs\/reference\/[^/]+$/],
  ['Commands', /^docs\/reference\/commands\//],
  ['Codes', /^docs\/reference\/codes\//],
  ['Explanations of codes', /^templates\/explanations\//],
  ['Design', /^docs\/design\//],
];

/** `pages`: the documents with their paths on the site. */
export function sidebar(pages) {
  return groups.map(([text, paths], index) => ({
    text,
    collapsed: index > 0,
    items: pages
      .filter(({ source }) => paths.test(source))
      .map(({ source, page }) => ({
        text: titleOf(source),
        link: `/${page.replace(/(?:index)?\.md$/, '')}`,
      })),
  }));
}

function titleOf(source) {
  const [, heading] = /^# (.+)$/m.exec(readFileSync(join(repository, source), 'utf8')) ?? [];
  return (heading ?? source).replaceAll('`', '');
}
