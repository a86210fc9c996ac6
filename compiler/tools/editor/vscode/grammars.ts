/**
 * TextMate grammars of the extension for VS Code, injected into its YAML grammar: SQL, and expressions of both syntaxes. Their keys and
 * functions are those of the compiler.
 */
import { fieldTable, type FieldInfo, type Holds, type Kind } from '../../../read/config/field-table.js';
import { constantFunctions, functions, functionsInB } from '../../../read/expression/functions.js';

/** A rule of a TextMate grammar, as in https://macromates.com/manual/en/language_grammars. */
export interface Rule {
  readonly include?: string;
  readonly match?: string;
  readonly begin?: string;
  readonly end?: string;
  readonly while?: string;
  readonly name?: string;
  readonly contentName?: string;
  readonly captures?: Captures;
  readonly beginCaptures?: Captures;
  readonly endCaptures?: Captures;
  readonly patterns?: readonly Rule[];
}

type Captures = Readonly<Record<number, { readonly name?: string; readonly patterns?: readonly Rule[] }>>;

export interface Grammar {
  readonly name: string;
  readonly scopeName: string;
  /** The scopes into which an injected grammar is inserted; undefined for a grammar that is only included. */
  readonly injectionSelector?: string;
  readonly patterns: readonly Rule[];
  readonly repository?: Readonly<Record<string, Rule>>;
}

/** All grammars, by the names of their files. */
export function grammars(): Readonly<Record<string, Grammar>> {
  return { expression, statement, operations, service, fields, schema, flow, flowSchema, placeholders };
}

const word = String.raw`[\p{L}_][\p{L}\p{N}_-]*`;
const beforeWord = String.raw`(?<![\p{L}\p{N}_.-])`;
const expressionScope = 'source.apikiln.expression';

/** `NULL`, `INTEGER` and others are constants, not calls. */
const calls = [...functions.keys()].filter((name) => !constantFunctions.includes(name));
const callsInB = [...functionsInB.keys()];

/** An expression in either syntax. */
const expression: Grammar = {
  name: 'apikiln expression',
  scopeName: expressionScope,
  patterns: ['text', 'constant', 'function', 'path', 'string', 'literal', 'reference', 'operator'].map(
    (name) => ({ include: `#${name}` }),
  ),
  repository: {
    placeholder: {
      begin: String.raw`:\[`,
      end: String.raw`\]`,
      name: 'meta.template.expression.apikiln',
      beginCaptures: { 0: { name: 'punctuation.definition.template-expression.begin.apikiln' } },
      endCaptures: { 0: { name: 'punctuation.definition.template-expression.end.apikiln' } },
      patterns: [{ include: '#brackets' }, { include: '$self' }],
    },
    brackets: {
      begin: String.raw`\[`,
      end: String.raw`\]`,
      beginCaptures: { 0: { name: 'punctuation.section.brackets.begin.apikiln' } },
      endCaptures: { 0: { name: 'punctuation.section.brackets.end.apikiln' } },
      patterns: [{ match: String.raw`\*`, name: 'keyword.operator.wildcard.apikiln' }, { include: '$self' }],
    },
    text: {
      begin: String.raw`\b(TEXT)[\t ]*(\()`,
      end: String.raw`\)`,
      beginCaptures: {
        1: { name: 'support.function.apikiln' },
        2: { name: 'punctuation.section.parens.begin.apikiln' },
      },
      endCaptures: { 0: { name: 'punctuation.section.parens.end.apikiln' } },
      contentName: 'string.unquoted.apikiln',
      patterns: [{ include: '#nested-text' }],
    },
    'nested-text': {
      begin: String.raw`\(`,
      end: String.raw`\)`,
      patterns: [{ include: '#nested-text' }],
    },
    constant: {
      patterns: [
        {
          match: String.raw`\b(NULL)[\t ]*(\([\t ]*\))`,
          captures: {
            1: { name: 'constant.language.null.apikiln' },
            2: { name: 'punctuation.section.parens.apikiln' },
          },
        },
        {
          match: String.raw`\b(?:${constantFunctions.join('|')})(?=[\t ]*\()`,
          name: 'support.function.apikiln',
        },
      ],
    },
    function: {
      match: String.raw`\b(?:${[...calls, ...callsInB].join('|')})(?=[\t ]*\()`,
      name: 'support.function.apikiln',
    },
    path: {
      patterns: [
        { match: String.raw`\$(?=[.\[]|[\t ]*(?:[,)\]]|$))`, name: 'variable.language.root.apikiln' },
        {
          match: String.raw`(\.)(size)(?=[\t ]*\([\t ]*\))`,
          captures: { 1: { name: 'punctuation.accessor.apikiln' }, 2: { name: 'support.function.apikiln' } },
        },
        {
          match: String.raw`(\.)(${word})`,
          captures: {
            1: { name: 'punctuation.accessor.apikiln' },
            2: { name: 'variable.other.property.apikiln' },
          },
        },
        { include: '#brackets' },
      ],
    },
    string: {
      patterns: ["'", '"'].map((quote) => ({
        begin: quote,
        end: quote,
        name: `string.quoted.${quote === '"' ? 'double' : 'single'}.apikiln`,
        patterns: [{ match: String.raw`\\.`, name: 'constant.character.escape.apikiln' }],
      })),
    },
    literal: {
      patterns: [
        { match: String.raw`${beforeWord}-?\d+(?:\.\d+)?\b`, name: 'constant.numeric.apikiln' },
        {
          match: String.raw`${beforeWord}(?:true|false|null)(?![\p{L}\p{N}_.-])`,
          name: 'constant.language.apikiln',
        },
      ],
    },
    reference: {
      patterns: [
        { match: '@', name: 'variable.language.element.apikiln' },
        {
          match: String.raw`${beforeWord}(?:(?:param|header|query|cookie|error)(?=[.\[])|(?:body|caller)(?![\p{L}\p{N}_(-]))`,
          name: 'variable.language.apikiln',
        },
        { match: word, name: 'variable.other.readwrite.apikiln' },
      ],
    },
    operator: {
      patterns: [
        { match: '==|!=|<=|>=|<|>', name: 'keyword.operator.comparison.apikiln' },
        { match: String.raw`&&|\|\||!`, name: 'keyword.operator.logical.apikiln' },
        { match: ',', name: 'punctuation.separator.apikiln' },
      ],
    },
  },
};

/** SQL with placeholders. Brackets of arrays come before those of VS Code's SQL grammar, in which they are quoted names. */
const statement: Grammar = {
  name: 'apikiln SQL statement',
  scopeName: 'source.apikiln.statement',
  patterns: [
    { include: `${expressionScope}#placeholder` },
    { include: '#brackets' },
    { include: 'source.sql' },
  ],
  repository: {
    brackets: { begin: String.raw`\[`, end: String.raw`\]`, patterns: [{ include: '$self' }] },
  },
};

/** A scalar of YAML and its language. */
interface Content {
  readonly scope: string;
  readonly language: 'sql' | 'expression';
}

const sqlContent: Content = { scope: statement.scopeName, language: 'sql' };
const expressionContent: Content = { scope: expressionScope, language: 'expression' };

/** A value of a block mapping continues in indented lines, comments, and list items at the indentation of its key. */
const isValue = String.raw`\G(?=[\t ]|$|#|-(?:[\t ]|$))`;
const isIndented = String.raw`\G(?=[\t ]|$)`;
const properties = ['comment', 'anchor-property', 'tag-property', 'alias'].map(yaml);
const blockNode = [yaml('block-node')];
const keyScope = { name: 'meta.map.key.yaml string.unquoted.plain.yaml entity.name.tag.yaml' };
const colonScope = { name: 'punctuation.separator.map.value.yaml' };
const quoteScope = { name: 'punctuation.definition.string.begin.yaml' };
const endQuoteScope = { name: 'punctuation.definition.string.end.yaml' };

function yaml(rule: string): Rule {
  return { include: `source.yaml.1.2#${rule}` };
}

/** The key and value of a block mapping; `key` has no groups. */
function blockField(key: string, name: string, patterns: readonly Rule[], after = '(?=[\\t ]|$)'): Rule {
  return {
    begin: String.raw`\G(${key})[\t ]*(:)${after}`,
    while: isValue,
    name,
    beginCaptures: { 1: keyScope, 2: colonScope },
    patterns,
  };
}

function blockScalar({ scope, language }: Content): Rule {
  return {
    begin: String.raw`[\t ]+(?:(\|)|(>))([-+0-9]*)(?=[\t ]*(?:$|#))`,
    while: isIndented,
    beginCaptures: {
      1: { name: 'keyword.control.flow.block-scalar.literal.yaml' },
      2: { name: 'keyword.control.flow.block-scalar.folded.yaml' },
      3: { name: 'storage.modifier.chomping-indicator.yaml' },
    },
    contentName: `meta.embedded.block.${language}`,
    patterns: [{ include: scope }],
  };
}

/** In single quotes of YAML, quotes of the inner language are doubled; in double quotes, they are escaped. */
function quotedPatterns(quote: string, { scope, language }: Content): Rule[] {
  const inner: Rule =
    quote === "'"
      ? { match: "''[^']*''", name: `string.quoted.single.${language}` }
      : { match: String.raw`\\.`, name: 'constant.character.escape.yaml' };
  return [{ include: `${expressionScope}#placeholder` }, inner, { include: scope }];
}

function quoted(content: Content): Rule[] {
  return ["'", '"'].map((quote) => ({
    begin: String.raw`[\t ]+(${quote})`,
    end: quote === "'" ? "'(?!')" : quote,
    beginCaptures: { 1: quoteScope },
    endCaptures: { 0: endQuoteScope },
    contentName: `meta.embedded.inline.${content.language}`,
    patterns: quotedPatterns(quote, content),
  }));
}

/** `unless`: a lookahead for lines that are no scalar. */
function plain({ scope, language }: Content, unless = ''): Rule {
  return {
    begin: String.raw`[\t ]+(?=[^\s|>&*!"'{\[#%@${'`'}])(?!-[\t ])${unless}`,
    while: String.raw`${isIndented}(?![\t ]*-[\t ])`,
    contentName: `meta.embedded.inline.${language}`,
    patterns: [
      { match: String.raw`(?<=[\t ])#.*$`, name: 'comment.line.number-sign.yaml' },
      { include: scope },
    ],
  };
}

function scalars(content: Content): Rule[] {
  return [...properties, blockScalar(content), ...quoted(content), plain(content)];
}

/** Keys of operations whose fields hold one of these; `query` is SQL. */
function keysThatHold(...holds: readonly Holds[]): string {
  const kinds: readonly Kind[] = [
    ...(['operation', 'fulfillment', 'instruction', 'query', 'sql', 'parameter', 'request'] as const),
    ...([
      'order',
      'page',
      'filter',
      'requestSignature',
      'body',
      'exception',
      'response',
      'fileType',
    ] as const),
  ];
  const keys = kinds.flatMap((kind) =>
    Object.entries<FieldInfo>(fieldTable[kind]).flatMap(([key, field]) =>
      field.holds !== undefined && holds.includes(field.holds) ? [key] : [],
    ),
  );
  return [...new Set(keys)].sort().join('|');
}

const expressionKeys = keysThatHold('expression', 'condition', 'conditions');
const schemaKeys = keysThatHold('schema', 'schemas', 'expressions', 'mappings');
const sqlKeys = 'query';

/** The value of a field with schema notation: an expression, or a map whose leaves are expressions. */
const schemaPatterns = [
  ...quoted(expressionContent),
  plain(expressionContent, String.raw`(?![^#]*:(?:[\t ]|$))`),
  ...blockNode,
];

const outside = '- meta.embedded - string - comment';
const inBlock = `meta.mapping.yaml - meta.flow ${outside}`;
const methods = 'GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS';

/** Matches the beginning of operations, so that other YAML files keep their colours. */
const operations: Grammar = {
  name: 'apikiln operations in YAML',
  scopeName: 'source.apikiln.operations',
  injectionSelector: `L:${inBlock} - meta.schema.apikiln`,
  patterns: [
    {
      ...blockField('operations', 'meta.operation.apikiln', blockNode),
      begin: String.raw`^(operations)[\t ]*(:)(?=[\t ]*(?:$|#))`,
    },
    {
      ...blockField('authentications|datasources|settings', 'meta.service.apikiln', blockNode),
      begin: String.raw`^(authentications|datasources|settings)[\t ]*(:)(?=[\t ]*(?:$|#))`,
    },
    blockField('fulfillments', 'meta.operation.apikiln', blockNode),
    {
      begin: String.raw`\G(['"]?)(${methods})[\t ]+(/(?:[^\s'":#]|:(?!\s))*)(\1)[\t ]*(:)(?=[\t ]|$)`,
      while: isValue,
      name: 'meta.operation.apikiln',
      beginCaptures: {
        1: quoteScope,
        2: { name: 'keyword.control.method.apikiln' },
        3: { name: 'entity.name.function.operation.apikiln' },
        4: endQuoteScope,
        5: colonScope,
      },
      patterns: blockNode,
    },
  ],
};

/** Expressions outside of operations. */
const service: Grammar = {
  name: 'apikiln authentications, datasources and settings in YAML',
  scopeName: 'source.apikiln.service',
  injectionSelector: `L:meta.service.apikiln ${inBlock}`,
  patterns: [
    blockField('context', 'meta.schema.apikiln', schemaPatterns),
    blockField('errors|limits', 'meta.operation.apikiln', blockNode),
  ],
};

const fields: Grammar = {
  name: 'apikiln fields in YAML',
  scopeName: 'source.apikiln.fields',
  injectionSelector: `L:meta.operation.apikiln ${inBlock} - meta.schema.apikiln`,
  patterns: [
    blockField(sqlKeys, 'meta.statement.apikiln', scalars(sqlContent)),
    blockField(expressionKeys, 'meta.expression.apikiln', [
      {
        match: String.raw`[\t ]*(-)(?=[\t ])`,
        captures: { 1: { name: 'punctuation.definition.block.sequence.item.yaml' } },
      },
      ...scalars(expressionContent),
      ...['flow-sequence', 'flow-mapping'].map(yaml),
    ]),
    blockField(schemaKeys, 'meta.schema.apikiln', schemaPatterns),
  ],
};

/** Leaves of schema notation, with any key. */
const schema: Grammar = {
  name: 'apikiln schema notation in YAML',
  scopeName: 'source.apikiln.schema',
  injectionSelector: `L:meta.schema.apikiln ${inBlock}`,
  patterns: [
    blockField(
      String.raw`(?![&*!|>%@${'`'}{\[#])(?:'(?:[^']|'')*'|"(?:[^"\\]|\\.)*"|[^\s'"](?:[^:#]*[^:#\s])?)`,
      'meta.expression.apikiln',
      scalars(expressionContent),
      String.raw`(?=[\t ]+[^\s&*!{\[#])`,
    ),
  ],
};

/** Quoted values of flow mappings; `keys` are alternatives, or empty for any key. */
function flowValues(keys: string, content: Content): Rule[] {
  const before = keys === '' ? '' : String.raw`\b(?:${keys}): `;
  return ["'", '"'].map((quote) => ({
    begin: String.raw`\G(?<=${before}${quote})`,
    end: quote === "'" ? "(?='(?!'))" : `(?=${quote})`,
    contentName: `meta.embedded.inline.${content.language}`,
    patterns: quotedPatterns(quote, content),
  }));
}

const flow: Grammar = {
  name: 'apikiln fields in YAML flow mappings',
  scopeName: 'source.apikiln.flow',
  injectionSelector:
    'L:meta.operation.apikiln meta.flow string.quoted - meta.embedded - entity.name - meta.schema.apikiln',
  patterns: [
    ...flowValues(sqlKeys, sqlContent),
    ...flowValues(`${expressionKeys}|${schemaKeys}`, expressionContent),
  ],
};

const flowSchema: Grammar = {
  name: 'apikiln schema notation in YAML flow mappings',
  scopeName: 'source.apikiln.flow-schema',
  injectionSelector: 'L:meta.schema.apikiln meta.flow string.quoted - meta.embedded - entity.name',
  patterns: flowValues('', expressionContent),
};

/** Placeholders in messages, URLs and headers, and functions in strings that no other rule covers. */
const placeholders: Grammar = {
  name: 'apikiln placeholders in YAML strings',
  scopeName: 'source.apikiln.placeholders',
  injectionSelector: ['operation', 'schema']
    .map((scope) => `L:meta.${scope}.apikiln string - meta.embedded - meta.map.key - entity.name`)
    .join(', '),
  patterns: [
    {
      match: String.raw`(:\[)((?:[^\[\]]|\[[^\[\]]*\])*)(\])`,
      name: 'meta.template.expression.apikiln',
      captures: {
        1: { name: 'punctuation.definition.template-expression.begin.apikiln' },
        2: { patterns: [{ include: expressionScope }] },
        3: { name: 'punctuation.definition.template-expression.end.apikiln' },
      },
    },
    ...['constant', 'function'].map((rule) => ({ include: `${expressionScope}#${rule}` })),
  ],
};
