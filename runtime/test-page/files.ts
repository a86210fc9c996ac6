/** The files of the test page, including its HTML. The list is fixed, so that request paths are never used as file paths. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Json } from '../handler/json.js';
import { tagOfContent } from '../responses/entity-tag.js';
import { style } from './style.js';
import { yamlText } from '../api-docs/yaml.js';

export interface PageFile {
  /** The content type. */
  readonly type: string;
  content(): Buffer;
  /** The entity tag. */
  tag(): string;
}

const text = '; charset=utf-8';
const require = createRequire(import.meta.url);

/** The files by path; `description` is the API description as JSON. */
export function pageFiles(description: string): ReadonlyMap<string, PageFile> {
  const file = (type: string, content: string): PageFile => madeFile(type, () => content);
  const read = (type: string, path: string): PageFile => madeFile(type, () => readFileSync(path));
  const script = `text/javascript${text}`;
  return new Map<string, PageFile>([
    ['/docs-ui', file(`text/html${text}`, html(titleOf(description)))],
    ['/docs-ui/page.css', file(`text/css${text}`, style)],
    ['/docs-ui/page.js', read(script, fileURLToPath(new URL('./page.js', import.meta.url)))],
    ['/docs-ui/swagger-ui.css', read(`text/css${text}`, require.resolve('swagger-ui-dist/swagger-ui.css'))],
    ['/docs-ui/swagger-ui.js', read(script, require.resolve('swagger-ui-dist/swagger-ui-bundle.js'))],
    ['/docs-ui/favicon.png', read('image/png', require.resolve('swagger-ui-dist/favicon-32x32.png'))],
    ['/v3/api-docs', file(`application/json${text}`, description)],
    [
      '/v3/api-docs.yaml',
      madeFile(`application/yaml${text}`, () => yamlText(JSON.parse(description) as Json)),
    ],
  ]);
}

/** A file whose content is created on first use. */
export function madeFile(type: string, make: () => string | Buffer): PageFile {
  const content = once(() => Buffer.from(make()));
  return { type, content, tag: once(() => tagOfContent([content()])) };
}

function titleOf(description: string): string {
  const { info } = JSON.parse(description) as { readonly info?: { readonly title?: string } };
  return info?.title ?? 'Test page';
}

function once<Result>(make: () => Result): () => Result {
  let made: { readonly result: Result } | undefined;
  return () => (made ??= { result: make() }).result;
}

/** The HTML; `title` is that of the service. */
function html(title: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>${escaped(title)}</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="robots" content="noindex">
    <link rel="icon" type="image/png" href="docs-ui/favicon.png">
    <link rel="stylesheet" href="docs-ui/swagger-ui.css">
    <link rel="stylesheet" href="docs-ui/page.css">
  </head>
  <body>
    <noscript>The test page needs JavaScript.</noscript>
    <div id="test-page"></div>
    <script src="docs-ui/swagger-ui.js"></script>
    <script src="docs-ui/page.js" type="module"></script>
  </body>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
