/** Diagnostics of the API description, and of what does not fit together with it. */
import type { Place } from '../../source.js';
import { error, firstDefinedAt, warning } from './entry-messages.js';

export const openapiEntries = {
  'not-a-description': error((p: { problem: string }) => ({
    message: `This is no API description that can be read: ${p.problem}.`,
    hint: 'An API description is written in OpenAPI 3.0 or 3.1 and begins with a line such as: openapi: 3.1.0',
  })),
  'several-descriptions': warning((p: { read: string; others: readonly string[] }) => ({
    message: `Beside the configuration there is ${p.others.map((name) => `'${name}'`).join(' and ')} too; only '${p.read}' is read.`,
    hint: 'Keep one of them, or name the one that is meant with --openapi.',
  })),
  'broken-reference': error((p: { reference: string; problem: string; meant: string | undefined }) => ({
    message: `'${p.reference}' leads nowhere: ${p.problem}.`,
    hint: p.meant === undefined ? undefined : `Did you mean '${p.meant}'?`,
  })),
  'cyclic-reference': error((p: { reference: string }) => ({
    message: `'${p.reference}' stands for nothing but itself: whoever follows its references comes back to it.`,
    hint: 'A model may contain itself in a property or in the items of a list.',
  })),
  'remote-reference': error((p: { reference: string }) => ({
    message: `'${p.reference}' leads outside the folder of the API description, and nothing is read from there.`,
    hint: 'Copy the file below the folder of the API description, and refer to it by its path from there.',
  })),
  'private-reference': error((p: { reference: string; path: string }) => ({
    message: `'${p.reference}' leads to the configuration or to environment variables, which may hold passwords.`,
    hint: `Copy what the API description needs of '${p.path}' into a file of its own.`,
  })),
  'parameter-unnamed': error(() => ({
    message:
      "A parameter of the API description needs 'name', and 'in' with one of path, query, header, cookie.",
  })),
  'duplicate-parameter': error((p: { name: string; in: string; first: Place | undefined }) => ({
    message: `The ${p.in} parameter '${p.name}' is declared twice here.`,
    hint: 'Keep one of the two.',
    related: firstDefinedAt(p.first),
  })),
  'parameter-style': warning((p: { name: string; style: string }) => ({
    message: `The parameter '${p.name}' is not checked: this version does not read its type in the style '${p.style}'.`,
    hint: 'Lists are read in the styles form, simple, spaceDelimited and pipeDelimited, objects in the style deepObject or as JSON.',
  })),
  'wrong-pattern': error((p: { problem: string }) => ({
    message: `This pattern is no regular expression: ${p.problem}.`,
    hint: 'Patterns are regular expressions of JavaScript; there is no (?i), \\A, \\Z or possessive quantifier.',
  })),
  'value-of-other-type': warning(
    (p: {
      keyword: string;
      /** Undefined for a list or map. */
      written: string | undefined;
      isNull: boolean;
      isQuoted: boolean;
      types: readonly string[];
      /** Further ones beside it. */
      more: number;
    }) => {
      const types = p.types.map((type) => `'${type}'`).join(' or ');
      const value = p.written === undefined || p.written === '' ? 'This value' : `'${p.written}'`;
      const more = p.more === 0 ? '' : `; nor can ${p.more} more here`;
      const isText = p.types.includes('string');
      const hint = p.isNull
        ? "Write 'nullable: true' (OpenAPI 3.0) or add 'null' to 'type' (3.1) where null is allowed."
        : p.written === undefined
          ? undefined
          : isText
            ? `Write "${p.written}" in quotes.`
            : p.isQuoted && /^(?:-?\d[\d.eE+-]*|true|false)$/.test(p.written)
              ? `Write ${p.written} without quotes.`
              : 'Change the type, or the value.';
      return {
        message: `${value} in '${p.keyword}' can never be given: the type is ${types}${more}.`,
        hint,
      };
    },
  ),
  'wrong-default': warning(
    (p: {
      written: string | undefined;
      fault: string;
      /** False where it is passed over. */ isUsed: boolean;
    }) => ({
      message: `The default${p.written === undefined ? '' : ` '${p.written}'`} does not fit its own schema: ${p.fault}.`,
      hint: p.isUsed
        ? 'Where the parameter is left out, it is used all the same. Change the default, or what the schema says.'
        : 'So there is none: where the parameter is left out, its value is null.',
    }),
  ),
  'slow-pattern': warning((p: { reason: string; longest: number }) => ({
    message: `This pattern cannot be matched in linear time: ${p.reason}.`,
    hint: `Write it in another way, or give the string a 'maxLength' of at most ${p.longest}. A longer string is refused with 400.`,
  })),
  'pattern-with-slashes': warning((p: { inside: string }) => ({
    message: 'The slashes of this pattern are part of it, so that only texts with slashes match, if any.',
    hint: `Write ${p.inside} without the slashes of a JavaScript literal; flags cannot be given.`,
  })),
  'schema-keyword': warning((p: { keyword: string; problem: string }) => ({
    message: `'${p.keyword}' of this schema has no effect: ${p.problem}${p.problem.endsWith('?') ? '' : '.'}`,
  })),
};
