/** Locates errors in schema statements, and suggests hints. */
import type { SchemaError } from '../operations/statements/statement-descriptions.js';
import { didYouMean } from '../../read/diagnostics/catalogue/entry-messages.js';
import { nearest } from '../../read/diagnostics/suggest.js';
import type { Span } from '../../read/source.js';
import { syntaxError } from './refusal-hints.js';
import { wordSet } from '../../read/wordset.js';

/** The hint if the server does not provide one. */
export function schemaHint(message: string): string {
  const [, type] = /^type "([^"]+)" does not exist$/.exec(message) ?? [];
  if (type !== undefined) {
    const otherwise = `Create the type '${type}' before this statement, or write another one.`;
    return didYouMean(nearest(type, commonTypes)) ?? otherwise;
  }
  const [, word] = syntaxError.exec(message) ?? [];
  if (word === undefined) return 'Correct the statement.';
  const keyword = nearest(word, schemaWords);
  return keyword === undefined
    ? `Correct the statement at or before '${word}'.`
    : `Write ${keyword} instead of ${word}.`;
}

const commonTypes = wordSet(`
  text integer bigint smallint numeric boolean date timestamp timestamptz time interval uuid json jsonb bytea
  varchar char real serial bigserial inet
`);

const schemaWords = wordSet(`
  TABLE INDEX VIEW TYPE SCHEMA SEQUENCE FUNCTION EXTENSION DOMAIN TRIGGER UNIQUE PRIMARY FOREIGN REFERENCES
  CONSTRAINT DEFAULT COLUMN CREATE ALTER INSERT
`);

/** The span of the word that the server names; otherwise the whole statement. */
export function spanOfError({ source, start, end, message, at }: SchemaError): Span {
  const statement = source.text.slice(start, end);
  const [, name = ''] = /"([\w.]+)"/.exec(message) ?? [];
  const found = at ?? onlyIndexOf(name, statement);
  const word = found === undefined ? undefined : /^(?:[\w.]+|"[^"]*"|\S)/.exec(statement.slice(found))?.[0];
  if (found === undefined || word === undefined) return { source, start, end };
  return { source, start: start + found, end: start + found + word.length };
}

/** The index of a word in a text; undefined unless it occurs exactly once. */
function onlyIndexOf(word: string, text: string): number | undefined {
  const [only, other] = [...text.matchAll(/[\w.]+/g)].filter(([one]) => one === word);
  return other === undefined ? only?.index : undefined;
}

/** Suggests a similar name in the schema for a missing column. */
export function columnHint({ source, start, message }: SchemaError): string | undefined {
  const [, column] = /^column "([^"]+)"(?: of relation "[^"]+")? does not exist$/.exec(message) ?? [];
  if (column === undefined) return undefined;
  const names = new Set(source.text.slice(0, start).match(/[A-Za-z_]\w*/g));
  names.delete(column);
  return didYouMean(nearest(column, names)) ?? 'Write a column that its table has.';
}
