/** The code blocks of a document. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../helpers/service-fixture.js';

export interface CodeBlock {
  /** The first word after the fence: `yaml`, `sh`. */
  readonly language: string;
  /** The words after the language. */
  readonly words: readonly string[];
  readonly text: string;
  /** The line of the opening fence, starting at 1. */
  readonly line: number;
}

/** The words allowed after the opening fence in tested documents: a block with an unknown word would not be tested. */
const known: readonly (readonly [path: RegExp, info: RegExp])[] = [
  [/^README\.md$/, /^(?:sh|ts|yaml)$/],
  [
    /^docs\/(?:accounts|guide)\.md$/,
    /^(?:sh(?: dev| run(?: wrong)?)?|http|js|json \d{3}|text (?:20[24]|mail|output)|yaml(?: (?:operations|paths|tests))?)$/,
  ],
  [
    /^docs\/recipes\//,
    /^(?:sh|http|json (?:\d{3}|auth0|keycloak)|text \d{3}|sql (?:schema(?: crm)?|seed)|ts (?:app|middleware|code \w+)|yaml(?: (?:api|authentications|datasources|openapi|operations|settings|tests))?|text nginx|(?:html|js|sql|text|ts|yaml) [\w/-]+\.(?:env|html|js|sql|ts|yaml))$/,
  ],
  [/^docs\/reference\/runtime-\w+\.md$/, /^ts fixtures\/\S+$/],
  [/^docs\/reference\/editors\.md$/, /^(?:lua|sh|text|toml)$/],
  [/^docs\/reference\/library\.md$/, /^ts$/],
  [/^docs\/reference\/clients\.md$/, /^(?:sh|ts saas)$/],
  [/^docs\/reference\/continuous-integration\.md$/, /^(?:sh|yaml workflow)$/],
  [
    /^docs\/reference\//,
    /^(?:sh|text|yaml (?:api|datasources|exception|file|fulfillments|included|openapi|operations|responses|schema(?:-b)?|tests [a-z]+))$/,
  ],
  [/^docs\/[^/]+\.md$/, /^(?:sh|text)$/],
  [/^CONTRIBUTING\.md$/, /^sh$/],
  [/^test\/bench\/README\.md$/, /^sh$/],
];

/** The pages in a folder of `docs`, sorted by path; not those of packages or of the built site. */
export function pagesBelow(folder: string): string[] {
  return readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.md') && !/^docs\/(?:node_modules|dist)\//.test(path))
    .sort();
}

/** Reads a document of the repository. Throws if a block is of an unknown kind. */
export function readDocument(path: string): { readonly text: string; readonly blocks: readonly CodeBlock[] } {
  const text = readFileSync(join(repository, path), 'utf8');
  const blocks = codeBlocks(text);
  const [, allowed] = known.find(([paths]) => paths.test(path)) ?? [];
  for (const { language, words, line } of blocks) {
    const info = [language, ...words].join(' ');
    if (info !== '' && allowed?.test(info) !== true)
      throw new Error(`${path}:${line} has a block '${info}', which no test knows.`);
  }
  return { text, blocks };
}

/** All code blocks in document order; blocks inside lists lose their indentation. */
export function codeBlocks(document: string): CodeBlock[] {
  const found: CodeBlock[] = [];
  let open: { indent: string; info: string; line: number; lines: string[] } | undefined;
  for (const [index, line] of document.split('\n').entries()) {
    const [, indent = '', info = ''] = /^( *)```(.*)$/.exec(line) ?? [];
    const isFence = line.trimStart().startsWith('```');
    if (open === undefined) {
      if (isFence) open = { indent, info, line: index + 1, lines: [] };
      continue;
    }
    if (!isFence) {
      open.lines.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line);
      continue;
    }
    const [language = '', ...words] = open.info.trim().split(/\s+/);
    found.push({ language, words, text: open.lines.map((one) => `${one}\n`).join(''), line: open.line });
    open = undefined;
  }
  return found;
}

/** Indents the text by two spaces. */
export function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ');
}
