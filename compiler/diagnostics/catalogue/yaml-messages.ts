/** Diagnostics of the YAML text itself. */
import { position, type Place } from '../../source.js';
import type { Edit } from '../fix.js';
import { error, firstDefinedAt, warning } from './entry-messages.js';

export const yamlEntries = {
  'invalid-yaml': error(
    (p: {
      problem: string;
      hint: string | undefined;
      edits: readonly Edit[];
      isSafe: boolean;
      subject: string | undefined;
    }) => ({
      message: `This is not valid YAML: ${p.problem}.`,
      hint: p.hint,
      edits: p.edits,
      isSuggestion: !p.isSafe,
      subject: p.subject,
    }),
  ),
  'needs-quotes': error((p: { problem: string; quoted: string }) => ({
    message: `YAML reads this text as something else: ${p.problem}.`,
    hint: `Put it in quotes: ${p.quoted}`,
    yamlInstead: p.quoted,
  })),
  'yaml-tag': error((p: { tag: string; quoted: string | undefined }) => ({
    message: `'${p.tag}' is a YAML tag, and tags are not part of the configuration language.`,
    hint: p.quoted === undefined ? 'Take it away.' : `If it is meant as text, put it in quotes: ${p.quoted}`,
  })),
  'yaml-version': error(() => ({
    message: 'A %YAML directive changes how values are read.',
    hint: 'Take the line away: the configuration is YAML 1.2.',
  })),
  'several-documents': error(() => ({
    message: 'The file holds several YAML documents; a configuration is one.',
    hint: "Take the line '---' between them away, or split the file.",
  })),
  'duplicate-key': error((p: { key: string; first: Place }) => ({
    message: `'${p.key}' stands twice in the same map: it is in line ${position(p.first.source, p.first.start).line} already.`,
    hint: 'Keep one of the two, or give one another name.',
    related: firstDefinedAt(p.first),
  })),
  'unknown-alias': error((p: { alias: string; nearest: string | undefined; quoted: string | undefined }) => ({
    message: `'*${p.alias}' is a YAML alias, and no anchor '&${p.alias}' stands before it.`,
    hint:
      p.nearest !== undefined
        ? `Did you mean '*${p.nearest}'?`
        : p.quoted === undefined
          ? undefined
          : `If it is meant as text, put it in quotes: ${p.quoted}`,
    yamlInstead: p.nearest === undefined ? undefined : `*${p.nearest}`,
  })),
  'cyclic-alias': error((p: { alias: string }) => ({
    message: `The alias '*${p.alias}' stands inside its own anchor.`,
    hint: 'Write the value out instead.',
  })),
  'wrong-merge': error(() => ({
    message: "'<<' merges maps: its value must be a map, an alias of one, or a list of those.",
    hint: 'For example: <<: *defaults',
  })),
  'too-large': error((p: { what: string; limit: string }) => ({
    message: `The configuration is too large: ${p.what} (at most ${p.limit}).`,
  })),
  'text-key': error(() => ({ message: 'A key must be a text.', hint: 'Put it in quotes.' })),
  'cut-at-comma': error((p: { quoted: string }) => ({
    message: 'Inside { } and [ ] YAML ends a text at a comma, so this text is cut in two.',
    hint: `Put the text in quotes: ${p.quoted}`,
    yamlInstead: p.quoted,
  })),
  'cut-at-hash': warning((p: { rest: string; isSql: boolean; quoted: string | undefined }) => ({
    message: `YAML takes everything from ' #' on as a comment, so the ${p.isSql ? 'SQL' : 'text'} ends here and '${p.rest}' is not part of it.`,
    hint: p.isSql
      ? "Write the SQL as a block ('query: |' and the text on the next lines), or in quotes. If it is meant as a comment, write '--'."
      : `If it is part of the text, put all of it in quotes${p.quoted === undefined ? '' : `: ${p.quoted}`}. If it is a comment, move it to a line of its own.`,
  })),
};
