/** Diagnostics about the API description, and about contradictions between it and the configuration. */
import type { Span } from '../../source.js';
import { error, firstDefinedAt, warning } from './entry-messages.js';
import { quotedList } from '../quoted-list.js';
import { words } from '../marks.js';

export const openapiEntries = {
  'not-a-description': error({ problem: 'sentence' }, (p: { problem: string }) => ({
    message: `This API description cannot be read: ${p.problem}.`,
    hint: 'Write it in OpenAPI 3.0 or 3.1. It begins with a line such as: openapi: 3.1.0',
  })),
  'missing-description': error({ file: 'text' }, (p: { file: string; isPrivate: boolean }) => ({
    message: p.isPrivate
      ? `'${p.file}' is private: it is not read as a description.`
      : `There is no file '${p.file}' in the folder of the configuration.`,
    hint: 'Store the OpenAPI file of the third party in the folder of the configuration, and write its name, such as description: payments.yaml',
  })),
  'several-descriptions': warning(
    { read: 'text', others: 'text' },
    (p: { read: string; others: readonly string[] }) => ({
      message: `Several API descriptions: only '${p.read}' is read, not ${quotedList(p.others, ' and ')}.`,
      hint: 'Keep one of them, or choose one with --openapi.',
    }),
  ),
  'broken-reference': error(
    { reference: 'reference', problem: 'sentence', meant: 'suggestion' },
    (p: { reference: string; problem: string; meant: string | undefined }) => ({
      message: `Broken reference '${p.reference}': ${p.problem}.`,
      hint:
        p.meant !== undefined
          ? `Did you mean '${p.meant}'?`
          : /^file /.test(p.problem)
            ? 'Write the path of a file below that folder, or add the file.'
            : 'Write the path of an existing definition, or add the definition.',
    }),
  ),
  'cyclic-reference': error(
    { reference: 'reference' },
    (p: {
      /** The reference, or the model that contains itself; undefined for any other schema. */
      reference: string | undefined;
      isSchema?: boolean;
    }) => {
      const mayContainItself = 'A model may contain itself only in a property or in the items of a list.';
      if (p.isSchema === true)
        return {
          message: `${p.reference === undefined ? 'This schema' : `The schema '${p.reference}'`} is a part of itself.`,
          hint: `Remove the '$ref' that leads back to it. ${mayContainItself}`,
        };
      return {
        message: `The reference '${p.reference ?? ''}' leads only back to itself.`,
        hint: /\/(?:parameters|responses|requestBodies|headers)\//.test(p.reference ?? '')
          ? 'Write the definition itself instead of one of the references.'
          : `Write a schema instead of one of the references. ${mayContainItself}`,
      };
    },
  ),
  'misplaced-reference': warning(
    { what: 'sentence', reference: 'reference' },
    (p: { what: string; reference: string }) => ({
      message: `OpenAPI does not allow a '$ref' in place of ${p.what}, only inside it.`,
      hint: `'${p.reference}' is read in its place. Write its entries here, each with a '$ref'.`,
    }),
  ),
  'remote-reference': error({ reference: 'reference' }, (p: { reference: string }) => ({
    message: `The reference '${p.reference}' is outside the folder of the API description.`,
    hint: 'Copy the file into that folder, and refer to it by its path from there.',
  })),
  'private-reference': error(
    { reference: 'reference', path: 'text' },
    (p: { reference: string; path: string }) => ({
      message: `The reference '${p.reference}' refers to a file that may contain passwords.`,
      hint: `Copy the parts that the API description needs from '${p.path}' to a separate file, and refer to that file.`,
    }),
  ),
  'parameter-unnamed': error(
    { missing: words('name', 'in'), location: 'text' },
    (p: { missing: 'name' | 'in'; location: string | undefined }) => ({
      message:
        p.location === undefined
          ? `This parameter has no '${p.missing}'.`
          : `A parameter cannot be in '${p.location}'.`,
      hint:
        p.location === 'body'
          ? "Write it as 'requestBody' of the operation, or write in: query."
          : p.location !== undefined
            ? 'Write path, query, header or cookie.'
            : p.missing === 'name'
              ? 'Add its name, for example name: id.'
              : 'Add its location: in: path, in: query, in: header or in: cookie.',
    }),
  ),
  'duplicate-parameter': error(
    { name: 'text', in: 'word' },
    (p: { name: string; in: string; first: Span | undefined }) => ({
      message: `The ${p.in} parameter '${p.name}' is declared twice here.`,
      hint: 'Remove one of the two.',
      related: firstDefinedAt(p.first),
    }),
  ),
  'parameter-style': warning(
    { name: 'text', style: 'word', in: 'word' },
    (p: { name: string; style: string; in: string; isObject: boolean }) => ({
      message: `Parameter '${p.name}' is not validated: unsupported style '${p.style}' for its type.`,
      hint: p.isObject
        ? p.in === 'query'
          ? 'Write style: deepObject.'
          : "Describe it as JSON: 'content' with application/json instead of 'schema'."
        : `Write style: ${p.in === 'query' ? 'form' : 'simple'}, or remove 'style'.`,
    }),
  ),
  'wrong-pattern': error(
    { problem: 'sentence', pattern: 'text' },
    (p: { problem: string; pattern: string }) => ({
      message: `Invalid pattern: ${p.problem}.`,
      hint: patternHint(p.pattern, p.problem),
    }),
  ),
  'value-of-other-type': warning(
    { keyword: 'word', written: 'text', types: 'text' },
    (p: {
      keyword: string;
      /** The value as written; undefined for a list or map. */
      written: string | undefined;
      isNull: boolean;
      isQuoted: boolean;
      types: readonly string[];
      /** The number of further values in the same place. */
      more: number;
    }) => {
      const types = quotedList(p.types, ' or ');
      const value = p.written === undefined || p.written === '' ? 'This value' : `'${p.written}'`;
      const more = p.more === 0 ? '' : ` (and ${p.more} more here)`;
      const isText = p.types.includes('string');
      const hint = p.isNull
        ? "Write 'nullable: true' (OpenAPI 3.0) or add 'null' to 'type' (3.1) where null is allowed."
        : p.written === undefined
          ? 'Write a value of the type, or remove this one.'
          : isText
            ? `Write "${p.written}" in quotes.`
            : p.isQuoted && /^(?:-?\d[\d.eE+-]*|true|false)$/.test(p.written)
              ? `Write ${p.written} without quotes.`
              : `Write a value of the type ${p.types.join(' or ')}, or change the type.`;
      return {
        message: `${value} in '${p.keyword}' never matches: the type is ${types}${more}.`,
        hint,
      };
    },
  ),
  'wrong-default': warning(
    { written: 'text', problem: 'sentence' },
    (p: {
      written: string | undefined;
      problem: string;
      /** False if the default is ignored. */ isUsed: boolean;
    }) => ({
      message: `The default${p.written === undefined ? '' : ` '${p.written}'`} does not match its own schema: ${p.problem}.`,
      hint: `${insteadOfDefault(p)} ${p.isUsed ? 'The default is used unchanged.' : 'The default is not used: a missing parameter is null.'}`,
    }),
  ),
  'slow-pattern': warning({ reason: 'sentence' }, (p: { reason: string; longest: number }) => ({
    message: `This pattern cannot be matched in linear time: ${p.reason}.`,
    hint: `Set 'maxLength' to at most ${p.longest}, or write a pattern without ${p.reason.includes('back reference') ? 'the back reference' : 'that repetition'}. A longer string is then rejected with 400.`,
  })),
  'pattern-with-slashes': warning({ inside: 'text' }, (p: { inside: string }) => ({
    message: 'The slashes are a part of this pattern: only strings with slashes match.',
    hint: `Write ${p.inside} without slashes; flags are not supported.`,
  })),
  'schema-keyword': warning(
    { keyword: 'word', problem: 'sentence' },
    (p: { keyword: string; problem: string }) => ({
      message: `'${p.keyword}' of this ${p.keyword === 'allowEmptyValue' ? 'parameter' : 'schema'} has no effect: ${p.problem.split('; ')[0] ?? ''}.`,
      hint: schemaHint(p.keyword, p.problem),
    }),
  ),
};

/** The suggestion for a default that its schema does not allow. */
function insteadOfDefault({ written, problem }: { written: string | undefined; problem: string }): string {
  if (
    /^its type is (?:integer|number)$/.test(problem) &&
    written !== undefined &&
    /^-?\d+(?:\.\d+)?$/.test(written)
  )
    return `Write default: ${written} without quotes.`;
  const [, type] = /^its type is (\w+)$/.exec(problem) ?? [];
  const example = type === undefined || !Object.hasOwn(defaults, type) ? undefined : defaults[type];
  if (example !== undefined) return `Write a value of this type, such as ${example}, or change the type.`;
  const [, bound] = /^it is (?:less|more) than the (?:minimum|maximum) (\S+)$/.exec(problem) ?? [];
  if (problem.startsWith('it is not one of ') && written !== undefined)
    return `Write one of these, or add '${written}' to the enum.`;
  return bound === undefined
    ? 'Write a default that matches, or change the schema.'
    : `Write a default such as ${bound}, or change the ${problem.includes('minimum') ? 'minimum' : 'maximum'}.`;
}

const defaults: Readonly<Record<string, string>> = {
  ...{ integer: '1', number: '1.5', boolean: 'true', string: "'open'", array: '[]', object: '{}' },
};

const [didYouMean, mustBe] = ['did you mean ', 'it must be '] as const;

/** The suggestion for a pattern with features that JavaScript does not support. */
function patternHint(pattern: string, problem: string): string {
  if (/\(\?[a-z]+[:)]/.test(pattern))
    return 'Flags are not supported. Write both cases, such as [Aa], instead of (?i).';
  const [, group] = /\(\?P<(\w+)>/.exec(pattern) ?? [];
  if (group !== undefined) return `Write (?<${group}>…) for a named group.`;
  const [doubled] = /[+*?}]\+/.exec(pattern) ?? [];
  if (doubled !== undefined)
    return `Write ${doubled.charAt(0)} instead of ${doubled}: there are no possessive quantifiers.`;
  if (/nothing to repeat/i.test(problem))
    return 'Write the repeated expression before it, such as .* for any characters, or \\* for the character *.';
  if (/character class/i.test(problem) && /unterminated|missing/i.test(problem))
    return 'Write the missing ], or \\[ for the character [.';
  if (/unmatched|lone/i.test(problem)) return 'Remove it, or write a backslash before it.';
  if (/duplicate capture group/i.test(problem)) return 'Give each group a different name.';
  if (/group|parenthes/i.test(problem)) return 'Write the missing ), or \\( for the character (.';
  if (/out of order/i.test(problem)) return 'Write the smaller bound first, such as [a-z] or {2,5}.';
  return 'Write a regular expression of JavaScript, for example ^[a-z]+$.';
}

/** An example for the keyword: `, such as [open, paid]`. */
function exampleOfKeyword(keyword: string): string {
  const examples: Readonly<Record<string, string>> = {
    ...{ enum: '[open, paid]', required: '[id, title]', properties: '{ id: { type: integer } }' },
    ...{ minimum: '1', maximum: '100', minLength: '1', maxLength: '100', minItems: '1', maxItems: '100' },
  };
  return Object.hasOwn(examples, keyword) ? `, such as ${examples[keyword] ?? ''}` : '';
}

/** The suggestion for a keyword that has no effect. */
function schemaHint(keyword: string, problem: string): string {
  const [, meant] = problem.split(didYouMean);
  if (meant !== undefined) return `Did you mean ${meant}`;
  // In OpenAPI, `required: true` belongs to parameters; before draft 4 of JSON Schema, it was also used for properties.
  if (keyword === 'required')
    return "Write a list of properties, such as [id, title]; for a parameter, write 'required: true' next to 'schema'.";
  if (keyword === 'discriminator')
    return "Write the alternatives in 'oneOf', each as a '$ref' or with a 'const' for the property; a 'mapping' may give them other values.";
  if (keyword === 'allowEmptyValue')
    return "Write a schema that accepts it, such as anyOf: [{ type: boolean }, { enum: [''] }], or remove 'allowEmptyValue'.";
  return problem.startsWith(mustBe)
    ? `Write ${problem.slice(mustBe.length)}${exampleOfKeyword(keyword)}, or remove the keyword.`
    : `Remove it, or check the value in the SQL or with an exception.`;
}
