/** The colours of the extension for VS Code: scopes that VS Code's own YAML and SQL grammars and its tokenizer give to real configurations. */
import { createRequire } from 'node:module';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { grammars } from '../../compiler/tools/editor/vscode/grammars.js';
import { fetchTools } from '../helpers/fetched-tool.js';
import { repository } from '../helpers/service-fixture.js';

/** The used part of `vscode-textmate`, the tokenizer of VS Code. */
interface TextMate {
  readonly INITIAL: unknown;
  readonly Registry: new (options: object) => { loadGrammar: (scope: string) => Promise<Tokenizer> };
  readonly parseRawGrammar: (text: string, path: string) => unknown;
}

interface Tokenizer {
  tokenizeLine: (
    line: string,
    state: unknown,
  ) => { readonly tokens: readonly TextMateToken[]; readonly ruleStack: unknown };
}

interface TextMateToken {
  readonly startIndex: number;
  readonly endIndex: number;
  readonly scopes: readonly string[];
}

interface Oniguruma {
  readonly loadWASM: (data: ArrayBufferLike) => Promise<void>;
  readonly OnigScanner: new (patterns: readonly string[]) => object;
  readonly OnigString: new (text: string) => object;
}

interface Token {
  /** One-based. */
  readonly line: number;
  readonly text: string;
  readonly start: number;
  readonly scopes: readonly string[];
}

const own = new Map(Object.values(grammars()).map((grammar) => [grammar.scopeName, grammar]));
const injected = [...own.values()].flatMap(({ scopeName, injectionSelector }) =>
  injectionSelector === undefined ? [] : [scopeName],
);

let folder = '';
/** YAML with and without the grammars of the extension. */
let coloured: Tokenizer;
let plain: Tokenizer;
let initial: unknown;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'apikiln-colours-'));
  const modules = await fetchTools(folder, {
    'vscode-textmate': '9.3.2',
    'vscode-oniguruma': '2.0.1',
    // The extensions of VS Code, packed for browsers.
    '@codingame/monaco-vscode-yaml-default-extension': '36.2.7',
    '@codingame/monaco-vscode-sql-default-extension': '36.2.7',
  });
  const load = createRequire(join(folder, 'package.json'));
  const textMate = load('vscode-textmate') as TextMate;
  const oniguruma = load('vscode-oniguruma') as Oniguruma;
  await oniguruma.loadWASM(readFileSync(join(modules, 'vscode-oniguruma/release/onig.wasm')).buffer);
  const grammarOf = (scope: string): unknown => {
    const name = scope === 'source.sql' ? 'sql' : scope.replace('source.', '').replace('yaml.', 'yaml-');
    const extension = `@codingame/monaco-vscode-${name.split('-')[0] ?? ''}-default-extension`;
    const path = join(modules, extension, 'resources', `${name}.tmLanguage.json`);
    const text = own.has(scope) ? JSON.stringify(own.get(scope)) : readFileSync(path, 'utf8');
    return textMate.parseRawGrammar(text, `${scope}.json`);
  };
  const tokenizer = (injections: readonly string[]): Promise<Tokenizer> =>
    new textMate.Registry({
      onigLib: Promise.resolve({
        createOnigScanner: (patterns: readonly string[]) => new oniguruma.OnigScanner(patterns),
        createOnigString: (text: string) => new oniguruma.OnigString(text),
      }),
      loadGrammar: (scope: string) => Promise.resolve(grammarOf(scope)),
      getInjections: (scope: string) => (scope === 'source.yaml' ? injections : undefined),
    }).loadGrammar('source.yaml');
  [coloured, plain] = await Promise.all([tokenizer(injected), tokenizer([])]);
  initial = textMate.INITIAL;
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function tokensOf(text: string, tokenizer = coloured): Token[] {
  let state = initial;
  return text.split(/\r?\n/).flatMap((content, index) => {
    const { tokens, ruleStack } = tokenizer.tokenizeLine(content, state);
    state = ruleStack;
    return tokens.map(({ startIndex, endIndex, scopes }) => ({
      line: index + 1,
      text: content.slice(startIndex, endIndex),
      start: startIndex,
      scopes,
    }));
  });
}

function textOf(path: string): string {
  return readFileSync(join(repository, path), 'utf8');
}

/** The tokens of the first line that contains a text, as `token scope`; the scope is the innermost one. */
function lineWith(path: string, part: string): string[] {
  const text = textOf(path);
  const line = text.split('\n').findIndex((one) => one.includes(part)) + 1;
  return tokensOf(text).flatMap((token) =>
    token.line === line && token.text.trim() !== ''
      ? [`${token.text.trim()} ${token.scopes.at(-1) ?? ''}`]
      : [],
  );
}

describe('Syntax A', () => {
  const path = 'fixtures/services/news-a/config.yaml';

  test('the method and path of an operation', () => {
    expect(lineWith(path, "'GET /news/{id}'").slice(1, 3)).toEqual([
      'GET keyword.control.method.apikiln',
      '/news/{id} entity.name.function.operation.apikiln',
    ]);
  });

  test('SQL with a placeholder in a block scalar', () => {
    expect(lineWith(path, 'WHERE title LIKE')).toEqual([
      'WHERE keyword.other.DML.sql',
      'title meta.embedded.block.sql',
      'LIKE keyword.other.DML.sql',
      'concat support.function.string.sql',
      '( meta.embedded.block.sql',
      "' punctuation.definition.string.begin.sql",
      '% string.quoted.single.sql',
      "' punctuation.definition.string.end.sql",
      ', meta.embedded.block.sql',
      ':[ punctuation.definition.template-expression.begin.apikiln',
      'PARAM support.function.apikiln',
      '( meta.template.expression.apikiln',
      'q variable.other.readwrite.apikiln',
      ') meta.template.expression.apikiln',
      '] punctuation.definition.template-expression.end.apikiln',
      ', meta.embedded.block.sql',
      "' punctuation.definition.string.begin.sql",
      '% string.quoted.single.sql',
      "' punctuation.definition.string.end.sql",
      ') meta.embedded.block.sql',
    ]);
  });

  test('SQL in a plain scalar, and the key after it', () => {
    expect(lineWith(path, 'FROM news WHERE id =')).toEqual(
      expect.arrayContaining([
        'SELECT keyword.other.DML.sql',
        '= keyword.operator.comparison.sql',
        'PARAM support.function.apikiln',
      ]),
    );
    expect(lineWith(path, 'exceptions:')[0]).toBe('exceptions entity.name.tag.yaml');
  });

  test('conditions', () => {
    expect(lineWith(path, 'if: SIZE(VALUE(news, $)) == INTEGER(0)')).toEqual([
      '- punctuation.definition.block.sequence.item.yaml',
      'if entity.name.tag.yaml',
      ': punctuation.separator.map.value.yaml',
      'SIZE support.function.apikiln',
      '( meta.embedded.inline.expression',
      'VALUE support.function.apikiln',
      '( meta.embedded.inline.expression',
      'news variable.other.readwrite.apikiln',
      ', punctuation.separator.apikiln',
      '$ variable.language.root.apikiln',
      ')) meta.embedded.inline.expression',
      '== keyword.operator.comparison.apikiln',
      'INTEGER support.function.apikiln',
      '( meta.embedded.inline.expression',
      '0 constant.numeric.apikiln',
      ') meta.embedded.inline.expression',
    ]);
  });

  test('a placeholder in a message', () => {
    expect(lineWith(path, 'message: There is no news')).toEqual([
      'message entity.name.tag.yaml',
      ': punctuation.separator.map.value.yaml',
      'There is no news string.unquoted.plain.out.yaml',
      ':[ punctuation.definition.template-expression.begin.apikiln',
      'PARAM support.function.apikiln',
      '( meta.template.expression.apikiln',
      'id variable.other.readwrite.apikiln',
      ') meta.template.expression.apikiln',
      '] punctuation.definition.template-expression.end.apikiln',
    ]);
  });

  test('leaves of a schema, with a path', () => {
    expect(lineWith(path, 'author: VALUE_BY_INDEX(author, ')).toEqual([
      'author entity.name.tag.yaml',
      ': punctuation.separator.map.value.yaml',
      'VALUE_BY_INDEX support.function.apikiln',
      '( meta.embedded.inline.expression',
      'author variable.other.readwrite.apikiln',
      ', punctuation.separator.apikiln',
      'VALUE support.function.apikiln',
      '( meta.embedded.inline.expression',
      '@ variable.language.element.apikiln',
      ', punctuation.separator.apikiln',
      '$ variable.language.root.apikiln',
      '. punctuation.accessor.apikiln',
      'author_id variable.other.property.apikiln',
      ') meta.embedded.inline.expression',
      ', punctuation.separator.apikiln',
      '$ variable.language.root.apikiln',
      '[ punctuation.section.brackets.begin.apikiln',
      '0 constant.numeric.apikiln',
      '] punctuation.section.brackets.end.apikiln',
      ') meta.embedded.inline.expression',
    ]);
  });

  test('quoted expressions of flow mappings', () => {
    const flow = 'fixtures/audit/risky/config.yaml';
    expect(lineWith(flow, "item: { id: 'INTEGER(1)', name: 'VALUE(@, $.name)'")).toEqual(
      expect.arrayContaining([
        'item entity.name.tag.yaml',
        'INTEGER support.function.apikiln',
        '@ variable.language.element.apikiln',
        'address entity.name.tag.yaml',
      ]),
    );
  });
});

describe('Syntax B', () => {
  const path = 'fixtures/services/news-b/config.yaml';

  test('a placeholder in SQL', () => {
    expect(lineWith(path, 'WHERE title LIKE').slice(9, 14)).toEqual([
      ':[ punctuation.definition.template-expression.begin.apikiln',
      'param variable.language.apikiln',
      '. punctuation.accessor.apikiln',
      'q variable.other.property.apikiln',
      '] punctuation.definition.template-expression.end.apikiln',
    ]);
  });

  test('a list of joins', () => {
    expect(lineWith(path, '- news.id == comments.news_id')).toEqual([
      '- punctuation.definition.block.sequence.item.yaml',
      'news variable.other.readwrite.apikiln',
      '. punctuation.accessor.apikiln',
      'id variable.other.property.apikiln',
      '== keyword.operator.comparison.apikiln',
      'comments variable.other.readwrite.apikiln',
      '. punctuation.accessor.apikiln',
      'news_id variable.other.property.apikiln',
    ]);
  });

  test('leaves of mappings', () => {
    expect(lineWith(path, 'commentCount:')).toEqual([
      'commentCount entity.name.tag.yaml',
      ': punctuation.separator.map.value.yaml',
      'comments variable.other.readwrite.apikiln',
      '. punctuation.accessor.apikiln',
      'size support.function.apikiln',
      '() meta.embedded.inline.expression',
    ]);
    expect(lineWith(path, 'mappings: *news').at(-1)).toBe('news variable.other.alias.yaml');
  });
});

/** Configurations without errors, and files that they include. */
const configurations = readdirSync(join(repository, 'fixtures'), { recursive: true, encoding: 'utf8' })
  .map((path) => `fixtures/${path.replaceAll('\\', '/')}`)
  .filter((path) => /^fixtures\/(?:services|explain|diff|audit)\/(?!.*\/expected).*\.ya?ml$/.test(path))
  .filter((path) => /^(?:specification|(?:GET|POST) .*):/m.test(textOf(path)))
  .sort();

test('the fixtures have configurations', () => {
  expect(configurations.length).toBeGreaterThan(50);
});

function isOf(prefix: RegExp, { scopes }: Token): boolean {
  return scopes.some((scope) => prefix.test(scope));
}

/** Keys, comments, and parts that YAML refuses; operations have other scopes than keys. */
function structure(tokens: readonly Token[]): string[] {
  const kinds = /^(?:entity\.name\.tag|entity\.name\.function\.operation|keyword\.control\.method|invalid)/;
  const texts = new Map<number, string>();
  for (const token of tokens)
    if (isOf(kinds, token) && !isOf(/^string\.quoted.*sql|^meta\.embedded/, token))
      texts.set(token.line, (texts.get(token.line) ?? '') + token.text.replaceAll(/['"\s]/g, ''));
  return [...texts].map(([line, text]) => `${line}: ${text}`);
}

test.each(configurations)('%s has the keys that it has without colours', (path) => {
  const text = textOf(path);
  expect(structure(tokensOf(text))).toEqual(structure(tokensOf(text, plain)));
});

test.each(configurations)('every placeholder and function of %s is coloured', (path) => {
  const text = textOf(path);
  const tokens = tokensOf(text);
  // SQL has functions with the names of others.
  const wanted =
    /:\[|\b(?:PARAM|HEADER|QUERY|BODY|CALLER|VALUE|VALUE_BY_INDEX|SIZE|INTEGER|STATUS|FAILURE)(?=\()/g;
  const missing = text.split('\n').flatMap((content, index) =>
    [...content.matchAll(wanted)].flatMap((match) => {
      const token = tokens.findLast(({ line, start }) => line === index + 1 && start <= match.index);
      if (token === undefined || isOf(/^comment|^string\.unquoted\.apikiln/, token)) return [];
      const scope =
        match[0] === ':[' ? /^punctuation\.definition\.template-expression/ : /^support\.function\.apikiln/;
      return isOf(scope, token) ? [] : [`${index + 1}: ${content.trim()}`];
    }),
  );
  expect(missing).toEqual([]);
});

test('other YAML files keep their colours', () => {
  const others = [
    'fixtures/services/news/requests.yaml',
    'fixtures/services/news-b/openapi.yaml',
    '.github/actions/apikiln/action.yml',
  ];
  for (const path of others) expect(tokensOf(textOf(path))).toEqual(tokensOf(textOf(path), plain));
});
