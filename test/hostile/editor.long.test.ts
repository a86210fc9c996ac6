/** Untrusted text in editors: a hover, which is Markdown, has the same structure as with plain text. */
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { checkSource } from '../../compiler/compile.js';
import { complete } from '../../compiler/tools/editor/complete.js';
import { hoverAt } from '../../compiler/tools/editor/hover.js';
import { hostileTexts } from '../emit/hostile.js';
import { markdownShape } from '../helpers/markdown-shape.js';
import { everyOf } from '../helpers/runs.js';
import { acceptedPositions, textsWith } from './accepted.js';
import { filesWith, type TextAt } from './service.js';
import { moreTexts } from './texts.js';

const each = everyOf(48);
const texts = [...new Set([...moreTexts, ...hostileTexts])].filter((_, index) => index % each === 0);

interface Shown {
  /** The structures of hovers. */
  readonly hovers: ReadonlySet<string>;
  /** The kinds of completions. */
  readonly completions: ReadonlySet<string>;
}

/** The hovers and completions at every few characters of the configuration. */
async function shownOf(at: TextAt): Promise<Shown> {
  const files = filesWith(at);
  const source = { path: 'config.yaml', text: stringify(JSON.parse(files['config.yaml']), { lineWidth: 0 }) };
  const description = {
    source: { path: 'openapi.json', text: files['openapi.json'] },
    read: () => undefined,
  };
  const { analysis } = checkSource({ config: source, description });
  const schema = [{ path: 'schema.sql', text: files['schema.sql'] }];
  const pages = new Set<string>();
  const completions = new Set<string>();
  for (let offset = 0; offset < source.text.length; offset += 7) {
    const hover = hoverAt(source, offset, analysis, { schema: () => schema, now: new Date(0) });
    if (hover !== undefined) pages.add(hover.text);
    if (offset % 21 === 0)
      for (const { label, detail } of complete(source, offset, analysis))
        completions.add(/[\n\r]/.test(`${label}${detail ?? ''}`) ? `lines: ${label}` : 'line');
  }
  const hovers = new Set<string>();
  for (const page of pages) hovers.add(JSON.stringify(await markdownShape(page)));
  return { hovers, completions };
}

describe.each(texts.map((text) => [JSON.stringify(text.slice(0, 60)), text] as const))('%s', (_, text) => {
  test('gives no hover a structure of its own, and stays in the lines of completions', async () => {
    const positions = acceptedPositions(text);
    const shown = await shownOf(textsWith(text, positions));
    const twin = await shownOf(textsWith('word', positions));
    expect(twin.hovers.size).toBeGreaterThan(5);
    expect([...shown.hovers].filter((shape) => !twin.hovers.has(shape))).toEqual([]);
    expect([...shown.completions]).toEqual([...twin.completions]);
  });
});
