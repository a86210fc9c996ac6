/** Generated code is a tree: emitters build nodes, and only the printer writes operators, parentheses and quotes. */
import { ts } from 'ts-morph';
import { expect, test } from 'vitest';
import { sourcesBelow } from './sources.js';

/** Emitters of files that are not TypeScript, and the formatter. */
const otherFiles =
  /\/service\/(?:env-file|kubernetes-manifests|lock-file|package-json|readme)\.ts$|\/print\/|\/format-all\.ts$/;

const emitters = sourcesBelow('compiler/generate/emit').filter(({ path }) => !otherFiles.test(path));

/** Patterns that only occur in pieces of code. */
const code =
  / (?:\?\?|=>|[!=]==?|&&|\|\||[<>]=?|=) |\?\.|^(?:await|async|const|export|import|let|new|return|throw|typeof) |[\w\]]\($|^\)|[;{}]$|^\{/;

/** The strings and template pieces of a file, without its imports. */
function strings(text: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) return;
    if (ts.isStringLiteral(node) || ts.isTemplateLiteralToken(node)) found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('a.ts', text, ts.ScriptTarget.ES2023));
  return found;
}

test('no emitter writes an operator', () => {
  expect(emitters.length).toBeGreaterThan(40);
  const found = emitters.flatMap(({ path, text }) =>
    strings(text)
      .filter((one) => code.test(one))
      .map((one) => `${path}: ${one}`),
  );
  expect(found).toEqual([]);
  const written = [
    ...['`${left} ?? null`', '`${a} === ${b}`', '`(${a}) => ${b}`', '`await ${call}`', "'if (a) {'"],
    ...['`${name}(${passed})`', "operator === '!' ? ' !== ' : ' === '", '`const ${name} = ${value};`'],
  ];
  expect(written.filter((text) => !strings(text).some((one) => code.test(one)))).toEqual([]);
});

test('code is printed where it becomes a file, or where equal code is sought', () => {
  const printing = emitters.filter(({ text }) => /\bprint(?:Code|Type|Module)\(/.test(text));
  expect(printing.map(({ path }) => path)).toEqual([
    'compiler/generate/emit/client/client-module.ts',
    'compiler/generate/emit/handler.ts',
    'compiler/generate/emit/lookups.ts',
    'compiler/generate/emit/mapped/mapped-body.ts',
    'compiler/generate/emit/module/constants.ts',
    'compiler/generate/emit/module/module.ts',
    'compiler/generate/emit/service/functions-module.ts',
  ]);
});

test('only the printer uses the writer of TypeScript, but for the width of comments', () => {
  const using = sourcesBelow('compiler').filter(({ text }) => /\/typescript-writer\.js'/.test(text));
  expect(using.map(({ path }) => path)).toEqual([
    'compiler/generate/code/print.ts',
    'compiler/generate/emit/client/client-module.ts',
    'compiler/generate/emit/emit.ts',
    'compiler/generate/emit/handler.ts',
  ]);
});

test('no file outside of the tree makes a node', () => {
  const nodes = /\bas (?:unknown as )?(?:Code|Name|Literal|Template|Member|Call|Binary|Statement|Type)\b/;
  const making = sourcesBelow('compiler/generate').filter(({ text }) => nodes.test(text));
  expect(making.map(({ path }) => path)).toEqual([]);
  expect(nodes.test("({ kind: 'name', name: text }) as Name")).toBe(true);
});
