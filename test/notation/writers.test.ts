/** Each writer with hostile strings: a parser of the notation finds the same shape as with a plain string, and the string as a value. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments, parseDocument, visit } from 'yaml';
import { environment } from '../../compiler/notation/environment-writer.js';
import { githubCommand } from '../../compiler/notation/github-writer.js';
import { json } from '../../compiler/notation/json-writer.js';
import { markdown } from '../../compiler/notation/markdown-writer.js';
import { html, xml } from '../../compiler/notation/markup-writer.js';
import { mermaid } from '../../compiler/notation/mermaid-writer.js';
import { guarded, screen } from '../../compiler/notation/screen-writer.js';
import { sql } from '../../compiler/notation/sql-writer.js';
import { joined } from '../../compiler/notation/written.js';
import { yaml } from '../../compiler/notation/yaml-writer.js';
import { readYaml } from '../../compiler/read/config/yaml/yaml-document.js';
import { Report } from '../../compiler/read/diagnostics/report.js';
import { jsonValue } from '../../compiler/read/openapi/json-value.js';
import { hostileTexts } from '../emit/hostile.js';
import { markdownShape } from '../helpers/markdown-shape.js';
import { runs } from '../helpers/runs.js';

/** Beginnings and ends of constructs in all notations, which random strings are built from. */
const pieces = [
  ...['\n', '\r', '\r\n', '\t', ' ', '  ', '\u2028', '\u0085', '\u0000', '\u001b[2J', '\u009b', '\u202e'],
  ...[
    '\u200b',
    '\u{e0041}',
    '\ud800',
    '#',
    '- ',
    ': ',
    '`',
    '```',
    '~~~',
    '|',
    '*',
    '_',
    '[a](b)',
    '<b>',
    '&',
  ],
  ...['![', '::error::', '##[error]', '@somebody', 'https://evil.example', 'www.evil.example', 'a@b.example'],
  ...['#12', "'", '"', '\\', '$', '${A}', '{{hole}}', '--', '*/', '/*', '1. ', '+ ', '=', '---', '...', 'x'],
  ...['Zwei Wörter', '日本', '%', '!', '?', '>', '{', '}', '[', ']', ',', '$(A)', ';', 'end', '"]', '%%'],
];
const anyText = fc
  .array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 8 })
  .map((all) => all.join(''));

/** A test with every hostile string and with random ones. */
function always(holds: (text: string) => void | Promise<void>): () => Promise<void> {
  return async () => {
    for (const text of hostileTexts) await holds(text);
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => holds(text)),
      { numRuns: runs(30, 20_000) },
    );
  };
}

const unseen = /[\p{Cf}\p{Zl}\p{Zp}\p{Cs}]|(?![\n\t])\p{Cc}/u;

describe('YAML', () => {
  test(
    'a comment has one line, and the document around it is the same',
    always((text) => {
      const document = yaml`a: 1\n  # ${yaml.comment(text)}\nb: 2\n`;
      expect(parseDocument(document).toJS()).toEqual({ a: 1, b: 2 });
      expect(document.split(/[\n\r\u0085\u2028\u2029]/)).toHaveLength(4);
    }),
  );

  test(
    'a string has the text as its value; so have keys and values of a document',
    always((text) => {
      expect(parseDocument(yaml`a: ${yaml.string(text)}\nb: 2\n`).toJS()).toEqual({ a: text, b: 2 });
      if (text.includes('\ud800') || text.includes('\udfff')) return;
      const value = { [`k${text}`]: [text], next: { text } };
      for (const written of [yaml.lines(value), yaml.document(value)]) {
        expect(parseAllDocuments(written)).toHaveLength(1);
        expect(parseDocument(written).toJS()).toEqual(value);
        expect(written).not.toMatch(unseen);
        expect(guarded(written, { colours: false, github: true })).toBe(written);
      }
      // As parsed by the compiler, also in a block scalar of several lines.
      for (const block of [value, { query: `SELECT 1\nFROM ${text}x\nWHERE 2\n` }]) {
        const root = readYaml({ path: 'config.yaml', text: yaml.lines(block) }, new Report());
        expect(root && jsonValue(root)).toEqual(block);
      }
    }),
  );

  test(
    'a comment above a key changes no value, and is a comment',
    always((text) => {
      const written = yaml.lines({ a: { b: [{ x: 1, c: 2 }] } }, [{ path: ['a', 'b', 0, 'c'], text }]);
      const document = parseDocument(written);
      expect(document.toJS()).toEqual({ a: { b: [{ x: 1, c: 2 }] } });
      const aliases: string[] = [];
      visit(document, { Alias: (_, { source }) => void aliases.push(source) });
      expect(aliases).toEqual([]);
    }),
  );

  test('a word that needs quotes is refused', () => {
    expect(() => yaml.word('a: b')).toThrow('needs quotes');
    expect(yaml.word('base-1.yaml')).toBe('base-1.yaml');
  });
});

test(
  'JSON has the value, shows what is not seen, and holds no workflow command',
  always((text) => {
    const written = json.value({ [text]: [text] }, 2);
    expect(JSON.parse(written)).toEqual({ [text]: [text] });
    expect(written).not.toMatch(unseen);
    expect(written).not.toContain('##[');
  }),
);

describe('Markdown', () => {
  function page(text: string): string {
    return [
      markdown`# ${markdown.text(text)}\n`,
      markdown`| a | b |\n| --- | --- |\n| ${markdown.text(text)} | ${markdown.code(`x${text}`)} |\n`,
      markdown`- ${markdown.text(text)}\n- ${markdown.code(`x${text}`)}: ${markdown.text(text)}\n`,
      markdown`${markdown.block(text, 'sql')}\n`,
      markdown`\`\`\`sh\n${markdown.blockLine(`A=${text}`)}\n\`\`\`\n`,
      markdown`x ${markdown.text(text)}\n`,
    ].join('\n');
  }

  test(
    'a page has the shape that it has with a plain text',
    always(async (text) => {
      const written = page(text);
      expect(written).not.toMatch(unseen);
      // White space alone would leave the cell and the list item empty, and GitHub's Markdown does not support Liquid.
      if (text.trim() !== '' && !/\{[{%]/.test(text))
        expect(await markdownShape(written)).toEqual(await markdownShape(page('plain')));
    }),
  );

  test('words that GitHub links are code', () => {
    const text = 'by @somebody in #12, https://evil.example/x or www.evil.example (a@b.example)';
    expect(markdown.text(text)).toBe(
      'by `@somebody` in `#12,` `https://evil.example/x` or `www.evil.example` `(a@b.example)`',
    );
    expect(markdown.text('reads a_b and <i>')).toBe('reads a\\_b and \\<i\\>');
  });
});

test(
  'HTML and XML: a text is text, and a value stays in its attribute',
  always((text) => {
    const page = html`<p title="${html.text(text)}">${html.text(text)}</p>`;
    expect(page.match(/[<>"]/g)?.join('')).toBe('<"">' + '<>');
    const element = xml`<a b=${xml.attribute(text)}>${xml.text(text)}</a>`;
    expect(element.match(/[<>"]/g)?.join('')).toBe('<"">' + '<>');
    expect(element).not.toMatch(/&(?!(?:amp|lt|gt|quot|#(?:9|10|13|35|58));)/);
  }),
);

test(
  'Mermaid: a label has no syntax',
  always((text) => {
    expect(mermaid.text(text)).toMatch(/^(?:[\p{L}\p{N} .,:$/=()+-]|#\d+;|<br\/>)*$/u);
  }),
);

test(
  'SQL: names and strings end where they should',
  always((text) => {
    for (const [dialect, quote] of [
      ['postgresql', '"'],
      ['mysql', '`'],
    ] as const) {
      const name = sql.identifier(text, dialect);
      expect(name.slice(1, -1).replaceAll(quote + quote, '')).not.toContain(quote);
    }
    expect(sql.string(text, 'postgresql').slice(1, -1).replaceAll("''", '')).not.toContain("'");
    const escaped = sql
      .string(text, 'mysql')
      .slice(1, -1)
      .replaceAll(/''|\\\\/g, '');
    expect(escaped).not.toMatch(/['\\]/);
    expect(sql.hexString(text)).toMatch(/^CONVERT\(X'[0-9a-f]*' USING utf8mb4\)$/);
  }),
);

test(
  'a file of variables: one variable a line; what docker cannot read is left empty',
  always((text) => {
    const file = environment`A=${environment.value(text)}\nB=${environment.dockerValue(text)}\n# ${environment.comment(text)}\n`;
    expect(file.split(/[\n\r\u0085\u2028\u2029]/)).toHaveLength(4);
    expect(environment.dockerValue(text)).toBe(
      unseen.test(text) || text.includes('\t') || text.includes('\n') ? '' : text,
    );
  }),
);

describe('a terminal', () => {
  test(
    'text of others stays in its line, and steers nothing',
    always((text) => {
      expect(screen.text(text)).not.toMatch(/[\n\t]/);
      expect(screen.list([text, text]).split('\n')).toHaveLength(2);
      for (const shown of [
        screen.text(text),
        screen.lines(text),
        guarded(text, { colours: false, github: false }),
      ])
        expect(shown).not.toMatch(unseen);
    }),
  );

  test('colours pass where the stream has them, and nothing else does', () => {
    const red = '\u001b[31mred\u001b[39m';
    expect(guarded(`${red}\u001b[2J\u001b]0;title\u0007`, { colours: true, github: false })).toBe(
      `${red}?[2J?]0;title?`,
    );
    expect(guarded(red, { colours: false, github: false })).toBe('red');
  });

  test('in a workflow of GitHub no line is a command', () => {
    const text = '::error::a\n  ::set-output name=x::y\n\t\u001b[31m::stop-commands::z\nb ##[error]c\na::b';
    const shown = guarded(text, { colours: true, github: true });
    expect(shown.replaceAll('\u001b[31m', '')).not.toMatch(/^\s*::/m);
    expect(shown).not.toContain('##[');
    expect(shown).toContain('a::b');
    expect(guarded(text, { colours: true, github: false })).toBe(text);
  });

  test(
    'a workflow command is one line and one command',
    always((text) => {
      const command = githubCommand('error', { file: text, line: 1 }, text);
      expect(command).not.toMatch(/[\n\r]/);
      expect(command.slice(2)).toMatch(/^error file=[^:,]*,line=1::/);
      expect(command).not.toContain('##[');
    }),
  );
});

test('parts are joined in their notation', () => {
  expect(joined([yaml`a: 1`, yaml`b: ${2}`], '\n')).toBe('a: 1\nb: 2');
});
