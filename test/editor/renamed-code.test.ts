/** Renaming a user function changes only references resolved by TypeScript; other occurrences of the same word remain. */
import { describe, expect, test } from 'vitest';
import { renamedCode } from '../../compiler/tools/editor/renamed-code.js';

const functionFile = 'src/code/price.ts';

/** The files after renaming `price`. */
function renamed(files: Readonly<Record<string, string>>, newName = 'cost'): Record<string, string> | string {
  const sources = Object.entries(files).map(([path, text]) => ({ path, text }));
  const found = renamedCode(sources, 'price', newName);
  if (typeof found === 'string') return found;
  const changed = found.map(({ source, edits }): [string, string] => [
    source.path,
    edits.reduceRight(
      (text, { start, end, text: next }) => text.slice(0, start) + next + text.slice(end),
      source.text,
    ),
  ]);
  return { ...files, ...Object.fromEntries(changed) };
}

const plain = 'export function price() {\n  return 1;\n}\n';
const plainRenamed = plain.replace('price', 'cost');

describe('in its file', () => {
  test.each([
    [
      'keys, properties, strings and comments stay',
      `/** The price. */
export async function price(input: PriceInput) {
  const list = { price: input.price, 'price': 2, [\`price\`]: "price" };
  return { price: list.price, ...('price' in list ? { price() {} } : {}) };
}
`,
      /(?<=function )price/,
    ],
    [
      'names of a scope of its own stay',
      `export const price = (count: number) => {
  const inner = ({ price }: { price: number }, by = (price: number) => price) => by(price);
  for (const price of [1]) inner({ price });
  return count === 0 ? inner({ price: 1 }) : price.length;
};
`,
      /(?<=const )price(?= = \(count)|price(?=\.length)/g,
    ],
    [
      'what is exported in a list',
      `function price() {}
export { price };
export { price as other };
`,
      /price/g,
    ],
    [
      'what has another name inside',
      `function calculate(price: number) { return price; }
export { calculate as price };
`,
      /(?<=as )price/,
    ],
    [
      'types and assertions',
      `import { price as old } from './other.js';
export function price(n: Parameters<typeof price>[0]): void { old(n); price(n as never); }
type Prices = { price: typeof price };
`,
      /(?<=function )price|(?<=typeof )price|price(?=\(n as)/g,
    ],
  ])('%s', (_, text, names) => {
    expect(renamed({ [functionFile]: text })).toEqual({ [functionFile]: text.replace(names, 'cost') });
  });

  test('a shorthand property keeps its key', () => {
    const text = 'export function price() {}\nexport const all = { price, n: { price } };\n';
    expect(renamed({ [functionFile]: text })).toEqual({
      [functionFile]: 'export function cost() {}\nexport const all = { price: cost, n: { price: cost } };\n',
    });
  });

  test('its types are those that the next build writes', () => {
    const text = `import type { PriceInput, PriceResult as Result } from '../functions.js';
interface PriceResult { PriceInput: PriceInput }
export const price = (input: PriceInput): Result => ({ PriceInput: input }) as PriceResult;
`;
    expect(renamed({ [functionFile]: text })).toEqual({
      [functionFile]: `import type { CostInput, CostResult as Result } from '../functions.js';
interface PriceResult { PriceInput: CostInput }
export const cost = (input: CostInput): Result => ({ PriceInput: input }) as PriceResult;
`,
    });
  });
});

describe('in another file', () => {
  test.each([
    [
      'an import and its uses',
      `import { price } from './code/price.js';
export const price2 = () => price() + { price: 1 }.price + 'price'.length;
`,
      `import { cost } from './code/price.js';
export const price2 = () => cost() + { price: 1 }.price + 'price'.length;
`,
    ],
    [
      'an import under another name',
      "import { price as p } from './code/price.js';\nexport const price = p();\n",
      "import { cost as p } from './code/price.js';\nexport const price = p();\n",
    ],
    [
      'all of it',
      "import * as code from './code/price.js';\nexport const { price } = code;\nexport const n = code.price();\n",
      "import * as code from './code/price.js';\nexport const { cost: price } = code;\nexport const n = code.cost();\n",
    ],
    [
      'later on',
      "const { price } = await import('./code/price.js');\nexport const n = price();\n",
      "const { cost: price } = await import('./code/price.js');\nexport const n = price();\n",
    ],
    [
      'as a type',
      "export type P = typeof import('./code/price.js').price;\n",
      "export type P = typeof import('./code/price.js').cost;\n",
    ],
    [
      'a module of that name elsewhere',
      "import { price } from './lib/price.js';\nexport const n = price();\n",
      "import { price } from './lib/price.js';\nexport const n = price();\n",
    ],
  ])('%s', (_, text, expected) => {
    const other = { 'src/lib/price.ts': 'export const price = () => 2;\n' };
    expect(renamed({ ...other, [functionFile]: plain, 'src/other.ts': text })).toEqual({
      ...{ ...other, [functionFile]: plainRenamed },
      'src/other.ts': expected.replaceAll('./code/price.js', './code/cost.js'),
    });
  });

  test('passed on by a module between them', () => {
    const files = {
      [functionFile]: plain,
      'src/all.ts': "export { price } from './code/price.js';\n",
      'src/code/other.ts': "import { price } from '../all.js';\nexport const other = () => price();\n",
    };
    expect(renamed(files)).toEqual({
      [functionFile]: plainRenamed,
      'src/all.ts': "export { cost } from './code/cost.js';\n",
      'src/code/other.ts': "import { cost } from '../all.js';\nexport const other = () => cost();\n",
    });
  });
});

describe('a name that has another meaning', () => {
  const refusal = (path: string) => `'cost' already has another meaning in ${path}.`;

  test.each([
    ['in its file', 'export function price() {}\nconst cost = 1;\n'],
    ['as another export', 'export function price() {}\nexport function cost() {}\n'],
    ['where it is called', 'export function price(): void { for (const cost of [1]) price(); }\n'],
    ['as a global', 'export function price() { return cost(); }\n'],
  ])('%s is refused', (_, text) => {
    expect(renamed({ [functionFile]: text })).toBe(refusal(functionFile));
  });

  test('in a file that imports it is refused', () => {
    const text = "import { price } from './code/price.js';\nexport const cost = price();\n";
    expect(renamed({ [functionFile]: plain, 'src/other.ts': text })).toBe(refusal('src/other.ts'));
  });

  test('only inside is not', () => {
    const text =
      'export function price(n: { cost: number }) {\n  const cost = n.cost;\n  return { cost };\n}\n';
    expect(renamed({ [functionFile]: text })).toEqual({ [functionFile]: text.replace('price', 'cost') });
  });
});
