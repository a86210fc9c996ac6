/** Hovers in the editor: names and definitions from files are shown as plain text, whatever Markdown they contain. */
import { expect, test } from 'vitest';
import { checkSource } from '../../compiler/compile.js';
import { hoverAt } from '../../compiler/tools/editor/hover.js';
import { hostileTexts } from '../emit/hostile.js';

const names = [
  ...[
    '[x](command:evil)',
    '![a](https://evil.example/x.png)',
    '<img src=x>',
    '**a** [b]',
    '`a` [b](c)',
    '| [a](b) |',
  ],
  ...[
    'https://evil.example',
    '@somebody',
    'a\u202eb',
    '```\n[x](command:evil)',
    '&#91;x](y)',
    '~~~',
    '\u001b[2J',
  ],
  ...hostileTexts.filter((text, index) => index % 3 === 0 && text.length < 100 && /[[<`\n]/.test(text)),
];

/** The Markdown without code and escaped characters. */
function plain(text: string): string {
  return text
    .replaceAll(/^(`{3,})[a-z]*\n[^]*?\n\1$/gm, '')
    .replaceAll(/(?<!\\)(`+)(?!`)[^]*?(?<!`)\1(?!`)/g, '')
    .replaceAll(/<code>[^<]*<\/code>/g, '')
    .replaceAll(/\\[^]/g, '');
}

test.each(names)('%j', (name) => {
  const quoted = JSON.stringify(name);
  const table = `"${name.replaceAll('"', '""')}"`;
  const text = JSON.stringify({
    specification: '1.0',
    authentications: { [name]: { type: 'basicauth', user: 'a', password: 'b' } },
    operations: {
      'GET /a': {
        authentications: [{ name }],
        fulfillments: [
          {
            ...{ name: 'a', type: 'READ', datasource: name },
            instructions: [{ query: `SELECT ${table} FROM ${table} WHERE b = :[TEXT(${quoted})]` }],
          },
          { name: 'b', type: 'REFERENCE', operationName: name },
        ],
        responses: [{ name: 'ok', default: true, statuscode: 200, schema: { a: `VALUE(a, $[${quoted}])` } }],
      },
      [name]: {
        fulfillments: [],
        responses: [{ name: 'ok', default: true, statuscode: 200, schema: { [name]: `TEXT(${quoted})` } }],
      },
    },
    datasources: { [name]: { type: 'db', url: 'jdbc:postgresql://localhost/a' } },
  });
  const source = { path: 'config.yaml', text };
  const { analysis } = checkSource({ config: source });
  const schema = [
    { path: 'schema.sql', text: `CREATE TABLE ${table} (${table} int DEFAULT 1 /* \`\`\`\n[x](y) */);` },
  ];
  const hovers = new Set<string>();
  for (let offset = 0; offset < text.length; offset += 3) {
    const hover = hoverAt(source, offset, analysis, { schema: () => schema, now: new Date(0) });
    if (hover !== undefined) hovers.add(hover.text);
  }
  expect(hovers.size).toBeGreaterThan(5);
  for (const hover of hovers) {
    expect(plain(hover), hover).not.toMatch(/[[\]<]|\p{Cf}|(?!\n)\p{Cc}/u);
    expect(plain(hover).replaceAll(/[^*]/g, '').length % 4, hover).toBe(0);
  }
});
