/** VitePress: the documents as a static site. `docs/site/build.mjs` copies them to `docs/dist/pages` first. */
import { defineConfig } from 'vitepress';
import { base, github, pageOf, root, slugOf, sources, version } from '../site/pages.mjs';
import { sidebar } from '../site/sidebar.mjs';

const pages = sources().map((source) => ({ source, page: pageOf(source) }));

export default defineConfig({
  title: 'apikiln',
  description: 'From one config.yaml to a readable, fast TypeScript service',
  lang: 'en',
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  base,
  srcDir: './dist/pages',
  outDir: './dist/site',
  cacheDir: './dist/cache',
  markdown: {
    anchor: { slugify: slugOf },
    config: withoutInterpolation,
    // Other themes of GitHub have comments and names with too little contrast.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  // The playground, which is the first page, is built by its own.
  ignoreDeadLinks: [/^\/$/, /^https?:\/\/localhost/],
  vite: { publicDir: '../public' },
  themeConfig: {
    // For `theme/versions.mjs`.
    version,
    root,
    search: { provider: 'local' },
    logoLink: { link: '/', target: '_self' },
    nav: [
      { text: 'Playground', link: '/', target: '_self' },
      { text: 'Guide', link: '/guide' },
      { text: 'Recipes', link: '/recipes/' },
      { text: 'Documents', link: '/documents' },
      { text: 'Changelog', link: '/changelog' },
    ],
    sidebar: sidebar(pages),
    outline: [2, 3],
    socialLinks: [{ icon: 'github', link: github }],
    editLink: {
      text: 'Edit this page',
      pattern: ({ frontmatter }) => `https://github.com/OWNER/apikiln/edit/main/${frontmatter.source}`,
    },
  },
});

/** Pages are Vue templates: double braces in the documents are text. */
function withoutInterpolation(markdown) {
  const { escapeHtml } = markdown.utils;
  const literal = (text) => escapeHtml(text).replaceAll('{{', '&#123;&#123;');
  markdown.renderer.rules.text = (tokens, index) => literal(tokens[index].content);
  markdown.renderer.rules.code_inline = (tokens, index) =>
    `<code v-pre>${escapeHtml(tokens[index].content)}</code>`;
}
