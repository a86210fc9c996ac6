/** The pages of the site: where each document of the repository appears, and its links and code blocks as the site needs them. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path/posix';
import { fileURLToPath } from 'node:url';

export const repository = fileURLToPath(new URL('../..', import.meta.url));

/** The repository on GitHub, for edit links and files that are not pages. */
export const github = 'https://github.com/OWNER/apikiln';

/** The path of a document on the site; undefined for files that are not pages. Paths are relative to the repository or the site. */
export function pageOf(source) {
  // The first page is the playground.
  if (source === 'docs/README.md') return 'documents.md';
  if (source === 'CHANGELOG.md') return 'changelog.md';
  if (source.startsWith('templates/explanations/')) return source.slice('templates/'.length);
  if (!source.startsWith('docs/') || !source.endsWith('.md')) return undefined;
  return source.slice('docs/'.length).replace(/\bREADME\.md$/, 'index.md');
}

/** The documents of the repository that are pages, sorted. */
export function sources() {
  const below = (folder) =>
    readdirSync(join(repository, folder), { recursive: true })
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
      .filter((path) => path.endsWith('.md') && !/\/(?:node_modules|dist)\//.test(path));
  return ['CHANGELOG.md', ...below('docs'), ...below('templates/explanations')].sort();
}

/** The anchor that GitHub gives a heading: links of the documents use it. */
export function slugOf(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

/** The path of the site on its host. */
export const base = process.env.SITE_BASE ?? '/';

/** The path of the site of the newest version; older versions are in folders of it. */
export const root = process.env.SITE_ROOT ?? base;

/** The version of these documents. */
export const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));

/** The text of a page with the front matter, links and code blocks of the site. `fragments`: those of the playground for its blocks. */
export function pageText(source, fragments) {
  const text = readFileSync(join(repository, source), 'utf8');
  // Even parts are prose, odd parts code blocks.
  const parts = text.split(/^(```[^]*?^```$)/m);
  const written = parts.map((part, index) =>
    index % 2 === 0 ? prose(part, source) : `${codeBlock(part)}${playgroundLink(fragments[(index - 1) / 2])}`,
  );
  return `---\nsource: ${source}\n---\n\n${written.join('')}`;
}

function prose(text, source) {
  return text
    .replaceAll(/\]\(([^)\s]+)\)/g, (_, target) => `](${linkOf(target, source)})`)
    .replaceAll(/src="([^"]+)"/g, (_, target) => `src="${linkOf(target, source)}"`);
}

function linkOf(target, source) {
  if (/^(?:[a-z]+:|#)/.test(target)) return target;
  const [file, anchor] = target.split('#');
  const path = join(dirname(source), file);
  const end = anchor === undefined ? '' : `#${anchor}`;
  const page = pageOf(path);
  if (page !== undefined) {
    const found = relative(dirname(pageOf(source)), page);
    return `${found.startsWith('.') ? found : `./${found}`}${end}`;
  }
  if (path.endsWith('.png')) return `/${path.slice(path.lastIndexOf('/') + 1)}`;
  return `${github}/blob/main/${path}${end}`;
}

/** The words after the language of a fence say what tests do with the block; a file name among them is a title for readers. */
function codeBlock(block) {
  return block.replace(/^```(\w+) (\S+\.\w+)$/m, (_, language, file) => `**${file}**\n\n\`\`\`${language}`);
}

/** A link of the block before it. */
function playgroundLink(fragment) {
  if (fragment === undefined) return '';
  return `\n\n<p class="to-playground"><a href="${base}#${fragment}" target="_self">Open in the playground</a></p>\n`;
}
