/**
 * Compares the reader of plain YAML with the parser: both produce the same nodes for all fixture configurations and for random changes of
 * them.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Report } from '../../compiler/read/diagnostics/report.js';
import type { ScalarText, Span } from '../../compiler/read/source.js';
import { Budget } from '../../compiler/read/config/yaml/budget.js';
import type { Node } from '../../compiler/read/config/yaml/node.js';
import { readPlainYaml } from '../../compiler/read/config/yaml/plain/plain-yaml.js';
import { readParsed } from '../../compiler/read/config/yaml/yaml-document.js';
import { repository } from '../helpers/service-fixture.js';
import { Random } from '../helpers/random.js';
import { runs } from '../helpers/runs.js';

const texts = ['services', 'habits', 'errors'].flatMap((folder) => {
  const below = `${repository}/fixtures/${folder}`;
  return readdirSync(below, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.yaml') && !/openapi|expected/.test(path))
    .map((path) => readFileSync(`${below}/${path}`, 'utf8'));
});

function shownSpan({ start, end, scalar }: Span): unknown {
  return [start, end, scalar === undefined ? null : [scalar.style, scalar.start, scalar.end]];
}

function shownText(text: ScalarText): unknown {
  const { length } = text.value;
  const parts = [0, 1, length >> 1, length].flatMap((from) =>
    [from, from + 1, length].map((to) => shownSpan(text.spanOf(from, to))),
  );
  return [text.value, shownSpan(text.span), parts];
}

function shown(node: Node): unknown {
  const span = shownSpan(node.span);
  switch (node.kind) {
    case 'scalar':
      return [node.style, String(node.value), typeof node.value, span, shownText(node.text), node.isBroken];
    case 'list':
      return ['list', span, ...node.items.map(shown)];
    case 'map':
      return [
        'map',
        span,
        node.isIncomplete,
        ...node.entries.map(({ key, value }) => [shown(key), shown(value)]),
      ];
  }
}

/** Returns whether the text is plain; if it is, both readers must agree. */
function compare(text: string): boolean {
  const source = { path: 'config.yaml', text };
  const plain = readPlainYaml(source, 0, 64);
  if (plain === undefined) return false;
  const report = new Report();
  const budget = new Budget(Infinity, plain.nodes);
  const parsed = readParsed(source, report, budget);
  expect(report.diagnostics.map(({ code }) => code)).toEqual([]);
  expect(parsed && shown(parsed)).toEqual(shown(plain.root));
  expect(budget.takeNodes(1)).toBe(false);
  return true;
}

test('configurations of the fixtures', () => {
  const plain = texts.filter(compare);
  expect(plain.length).toBeGreaterThan(texts.length / 3);
});

test('numbers without an end', () => {
  expect(compare('a: .inf\nb: -.Inf\nc: +.INF\n')).toBe(true);
});

describe('random changes', () => {
  const pieces = [
    ' ',
    '  ',
    '\n',
    '\n\n',
    '\n# c\n',
    '\n  # c\n',
    '\n    # c\n',
    '\n      # c\n',
    ' # c',
    '#',
    ':',
    ': ',
    ':\n',
    '- ',
    '-',
    '\n- a: b\n',
    "'",
    '"',
    '|\n',
    '|-\n',
    '>',
    ' |',
    '~',
    '12',
    '0x1F',
    '1e3',
    '.5',
    '-.inf',
    'True',
    '[a, b]',
    '{ a: b }',
    '&a ',
    '*a',
    '!',
    '?',
    '<<: ',
    '%',
    '---\n',
    '\u00a0',
    '\u2028',
    '\\',
    ')',
    '@',
    '`',
  ];

  function changed(text: string, random: Random): string {
    const lines = text.split('\n');
    for (let count = random.below(3) + 1; count > 0; count -= 1) {
      const at = random.below(lines.length);
      const line = lines[at] ?? '';
      switch (random.below(6)) {
        case 0:
          lines.splice(at, 1);
          break;
        case 1:
          lines[at] = `${' '.repeat(random.below(3))}${line}`;
          break;
        case 2:
          lines[at] = line.replace(/^ {1,2}/, '');
          break;
        case 3:
          lines.splice(
            at,
            0,
            `${' '.repeat(random.below(9))}${random.pick(['# c', '', ' ', '- a', 'b:', 'b: c'])}`,
          );
          break;
        default: {
          const column = random.below(line.length + 1);
          lines[at] = line.slice(0, column) + random.pick(pieces) + line.slice(column + random.below(2));
        }
      }
    }
    return lines.join('\n');
  }

  test('are read alike', () => {
    const random = new Random(36);
    const small = texts.filter((text) => text.length < 3000);
    let plain = 0;
    for (let round = runs(1000, 200_000); round > 0; round -= 1)
      if (compare(changed(random.pick(small), random))) plain += 1;
    expect(plain).toBeGreaterThan(0);
  });
});
