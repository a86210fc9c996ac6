/** Explanations of diagnostic codes, from `templates/explanations/*.md` of the package, with one section per code. */

/** The content of `apikiln explain <code>`. */
export interface Explanation {
  /** The meaning of the diagnostic and why it matters, in one to three sentences. */
  readonly text: string;
  /** A part of a configuration that causes the diagnostic, and the corrected part. */
  readonly wrong: string;
  readonly right: string;
  /** The configuration that contains both parts, see `compiler/tools/example.ts`. */
  readonly part: string;
  /** The API description and database schema of the example, if any. */
  readonly openapi?: string;
  /** A third party's description, `api.yaml`. */
  readonly api?: string;
  readonly schema?: string;
  /** The included file `operations/news.yaml`. */
  readonly included?: string;
}

/** Explanations by code. */
export type Explanations = ReadonlyMap<string, Explanation>;

/**
 * Parses a file of explanations: each heading `## code` is followed by sentences, a block ```` ```yaml wrong <part> ```` and a block ````
 * ```yaml right <part> ````, and optionally by blocks `yaml openapi`, `yaml api`, `yaml included` and `sql schema`.
 */
export function parseExplanations(markdown: string): Explanations {
  const sections = markdown.replaceAll('\r\n', '\n').split(/^## /m).slice(1);
  return new Map(
    sections.map((section): [string, Explanation] => {
      const end = section.indexOf('\n');
      const blocks = blocksOf(section.slice(end));
      const { wrong, right, openapi, api, schema, included } = blocks.byName;
      return [
        section.slice(0, end).trim(),
        {
          text: blocks.text,
          wrong: wrong?.text ?? '',
          right: right?.text ?? '',
          part: wrong?.part ?? '',
          ...(openapi && { openapi: openapi.text }),
          ...(api && { api: api.text }),
          ...(schema && { schema: schema.text }),
          ...(included && { included: included.text }),
        },
      ];
    }),
  );
}

interface Block {
  readonly part: string;
  readonly text: string;
}

/** The text outside of blocks (without group headings, each paragraph on one line), and the blocks. */
function blocksOf(section: string): { text: string; byName: Partial<Record<string, Block>> } {
  const pieces = section.split(/^```/m);
  const byName: Partial<Record<string, Block>> = {};
  for (const [index, piece] of pieces.entries()) {
    if (index % 2 === 0) continue;
    const end = piece.indexOf('\n');
    const [, name = '', part = 'file'] = piece.slice(0, end).trim().split(' ');
    byName[name] = { part, text: piece.slice(end + 1) };
  }
  const paragraphs = pieces.filter((_, index) => index % 2 === 0).flatMap((piece) => piece.split('\n\n'));
  const text = paragraphs
    .map((paragraph) => paragraph.trim().replaceAll('\n', ' '))
    .filter((paragraph) => paragraph !== '' && !paragraph.startsWith('# '))
    .join('\n\n');
  return { text, byName };
}
