/** Diagnostics about YAML syntax. */
import { lineBeside, type Span } from '../../source.js';
import type { Edit } from '../fix.js';
import { error, firstDefinedAt, warning } from './entry-messages.js';
import { words } from '../marks.js';

export const yamlEntries = {
  'invalid-yaml': error(
    { problem: 'sentence', hint: 'sentence' },
    (p: {
      problem: string;
      hint: string | undefined;
      edits: readonly Edit[];
      isSafe: boolean;
      isTab: boolean;
    }) => ({
      message: `Invalid YAML: ${p.problem}.`,
      hint: p.hint,
      edits: p.edits,
      isSuggestion: !p.isSafe,
      subject: p.isTab ? 'tabs' : undefined,
    }),
  ),
  'needs-quotes': error(
    { problem: 'sentence', quoted: 'quoted' },
    (p: { problem: string; quoted: string; isInDoubleQuotes: boolean }) => ({
      message: `This string needs ${p.isInDoubleQuotes ? 'other ' : ''}quotes: ${p.problem}.`,
      hint:
        p.quoted === "'…'"
          ? p.isInDoubleQuotes
            ? `Write ' instead of " before it and after it, and '' for each ' inside it.`
            : "Write ' before it and after it, and '' for each ' inside it."
          : `Quote it: ${p.quoted}`,
      yamlInstead: p.quoted,
    }),
  ),
  'yaml-tag': error({ tag: 'text', quoted: 'quoted' }, (p: { tag: string; quoted: string | undefined }) => ({
    message: `YAML tags are not supported: '${p.tag}'.`,
    hint:
      p.quoted === undefined
        ? 'Remove the tag.'
        : `Remove the tag, or quote the value to use all of it as a string: ${p.quoted}`,
  })),
  'yaml-version': error(() => ({
    message: '%YAML directives are not supported.',
    hint: 'Remove the line: the configuration is YAML 1.2.',
  })),
  'several-documents': error(() => ({
    message: 'The file has several YAML documents; a configuration has one.',
    hint: "Remove the line '---' between them, or split the file.",
  })),
  'duplicate-key': error(
    { key: 'text' },
    (p: { key: string; first: Span; here: Span; holdsMaps: boolean; isField: boolean }) => ({
      message: `Duplicate key '${p.key}': it is already in ${lineBeside(p.first, p.here.source)}.`,
      hint:
        p.first.source !== p.here.source
          ? 'Remove one of the two operations, or rename it.'
          : p.holdsMaps
            ? `Write the entries of both under one key${p.isField ? '' : ', or rename one of the two'}.`
            : p.isField
              ? 'Remove one of the two.'
              : 'Remove one of the two, or rename it.',
      related: firstDefinedAt(p.first),
    }),
  ),
  'unknown-alias': error(
    { alias: 'text', nearest: 'suggestion', quoted: 'quoted' },
    (p: {
      alias: string;
      nearest: string | undefined;
      quoted: string | undefined;
      /** The anchored value, if it comes after the alias. */
      later: Span | undefined;
      /** True for an included file, which cannot use anchors of other files. */
      isIncluded: boolean;
    }) => ({
      message: `Unknown YAML alias '*${p.alias}': there is no anchor '&${p.alias}' before it.`,
      hint:
        p.later !== undefined
          ? `The anchor follows. Write the value here, after &${p.alias}, and *${p.alias} there.`
          : p.nearest !== undefined
            ? `Did you mean '*${p.nearest}'?`
            : (p.quoted === undefined
                ? `Define the anchor before it: &${p.alias}${/[./]/.test(p.alias) ? `; or quote it to use it as a string: '*${p.alias}'` : ''}`
                : `Define the anchor before it (&${p.alias}), or quote the value to use it as a string: ${p.quoted}`) +
              (p.isIncluded ? ' Anchors of other files are not known here.' : ''),
      yamlInstead: p.nearest === undefined ? undefined : `*${p.nearest}`,
      ...(p.later && { related: [{ span: p.later, message: 'the anchor' }] }),
    }),
  ),
  'cyclic-alias': error({ alias: 'text' }, (p: { alias: string }) => ({
    message: `The alias '*${p.alias}' is inside its own anchor.`,
    hint: `Write the value itself instead of '*${p.alias}'.`,
  })),
  'wrong-merge': error(() => ({
    message: "The value of '<<' must be a map, an alias of a map, or a list of them.",
    hint: 'For example: <<: *defaults',
  })),
  'too-large': error(
    { what: words('values', 'nesting', 'file'), limit: 'word' },
    (p: { what: 'nesting' | 'values' | 'file'; limit: string }) => ({
      message:
        p.what === 'nesting'
          ? `The configuration is nested too deeply: at most ${p.limit}.`
          : `The configuration is too large: at most ${p.limit}.`,
      hint:
        p.what === 'nesting'
          ? 'Move the inner part to a separate operation, and call it with a fulfillment of type reference.'
          : 'Split it into several services.',
    }),
  ),
  'text-key': error(() => ({
    message: 'A key must be a string.',
    hint: "Write a name before the colon, without '?', brackets and braces; or quote it.",
  })),
  'cut-at-comma': error({ quoted: 'quoted' }, (p: { quoted: string }) => ({
    message: 'YAML splits this value at the comma.',
    hint: `Quote the whole value: ${p.quoted}`,
    yamlInstead: p.quoted,
  })),
  'cut-at-hash': warning(
    { rest: 'text', quoted: 'quoted' },
    (p: { rest: string; isSql: boolean; quoted: string | undefined }) => ({
      message: `YAML reads '${p.rest}' as a comment, not as a part of the ${p.isSql ? 'SQL' : 'string'}.`,
      hint: /^#\{/.test(p.rest)
        ? 'A placeholder is an expression in :[ ], such as :[PARAM(id)], or :[param.id] in Syntax B.'
        : p.isSql
          ? "Write the SQL as a block ('query: |' and the statement on the next lines), or quote it. For a comment in SQL write '--'."
          : `Quote the whole string${p.quoted === undefined ? '' : `: ${p.quoted}`}. Move a comment to a separate line.`,
    }),
  ),
};
