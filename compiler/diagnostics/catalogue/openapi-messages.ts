/** Diagnostics of the API description, and of what does not fit together with it. */
import type { Place } from '../../source.js';
import { error, firstDefinedAt, warning } from './entry-messages.js';

export const openapiEntries = {
  'not-a-description': error((p: { problem: string }) => ({
    message: `This API description cannot be read: ${p.problem}.`,
    hint: 'Write it in OpenAPI 3.0 or 3.1. It begins with a line such as: openapi: 3.1.0',
  })),
  'several-descriptions': warning((p: { read: string; others: readonly string[] }) => ({
    message: `Several API descriptions: only '${p.read}' is read, not ${p.others.map((name) => `'${name}'`).join(' and ')}.`,
    hint: 'Keep one of them, or choose one with --openapi.',
  })),
  'broken-reference': error((p: { reference: string; problem: string; meant: string | undefined }) => ({
    message: `Broken reference '${p.reference}': ${p.problem}.`,
    hint:
      p.meant === undefined ? 'Correct the path, or add what it refers to.' : `Did you mean '${p.meant}'?`,
  })),
  'cyclic-reference': error((p: { reference: string }) => ({
    message: `The reference '${p.reference}' refers only to itself.`,
    hint: /\/(?:parameters|responses|requestBodies|headers)\//.test(p.reference)
      ? 'Replace one of the references by the definition that is meant.'
      : 'Replace one of the references by a schema. A model may contain itself in a property or in the items of a list.',
  })),
  'remote-reference': error((p: { reference: string }) => ({
    message: `The reference '${p.reference}' is outside the folder of the API description.`,
    hint: 'Copy the file below that folder, and refer to it by its path from there.',
  })),
  'private-reference': error((p: { reference: string; path: string }) => ({
    message: `The reference '${p.reference}' leads to a file that may contain passwords.`,
    hint: `Copy what the API description needs from '${p.path}' to a file of its own, and refer to that one.`,
  })),
  'parameter-unnamed': error(() => ({
    message: "A parameter of the API description needs 'name' and 'in'.",
    hint: "For example: { name: id, in: path }. 'in' is path, query, header or cookie.",
  })),
  'duplicate-parameter': error((p: { name: string; in: string; first: Place | undefined }) => ({
    message: `The ${p.in} parameter '${p.name}' is declared twice here.`,
    hint: 'Keep one of the two.',
    related: firstDefinedAt(p.first),
  })),
  'parameter-style': warning((p: { name: string; style: string }) => ({
    message: `Parameter '${p.name}' is not validated: unsupported style '${p.style}' for its type.`,
    hint: 'Use the styles form, simple, spaceDelimited or pipeDelimited for lists, and deepObject or JSON for objects.',
  })),
  'wrong-pattern': error((p: { problem: string; pattern: string }) => ({
    message: `Invalid pattern: ${p.problem}.`,
    hint: patternHint(p.pattern, p.problem),
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
      const more = p.more === 0 ? '' : ` (and ${p.more} more here)`;
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
        message: `${value} in '${p.keyword}' never matches: the type is ${types}${more}.`,
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
      message: `The default${p.written === undefined ? '' : ` '${p.written}'`} does not match its own schema: ${p.fault}.`,
      hint: p.isUsed
        ? 'Change the default or the schema. The default is used as it is.'
        : 'Change the default or the schema. The default is not used: a missing parameter is null.',
    }),
  ),
  'slow-pattern': warning((p: { reason: string; longest: number }) => ({
    message: `This pattern cannot be matched in linear time: ${p.reason}.`,
    hint: `Rewrite it, or set 'maxLength' to at most ${p.longest}. A longer string is 400.`,
  })),
  'pattern-with-slashes': warning((p: { inside: string }) => ({
    message: 'The slashes are a part of this pattern: only strings with slashes match.',
    hint: `Write ${p.inside} without slashes; flags are not supported.`,
  })),
  'schema-keyword': warning((p: { keyword: string; problem: string }) => ({
    message: `'${p.keyword}' of this schema has no effect: ${p.problem.split('; ')[0] ?? ''}.`,
    hint: schemaHint(p.problem),
  })),
};

const [didYouMean, mustBe] = ['did you mean ', 'it must be '] as const;

/** What to write instead, by what other regular expressions have and those of JavaScript do not. */
function patternHint(pattern: string, problem: string): string {
  if (/\(\?[a-z]+[:)]/.test(pattern))
    return 'Flags are not supported. Write both cases, such as [Aa], instead of (?i).';
  const [, group] = /\(\?P<(\w+)>/.exec(pattern) ?? [];
  if (group !== undefined) return `Write (?<${group}>…) for a named group.`;
  const [doubled] = /[+*?}]\+/.exec(pattern) ?? [];
  if (doubled !== undefined)
    return `Write ${doubled.charAt(0)} instead of ${doubled}: there are no possessive quantifiers.`;
  if (/nothing to repeat/i.test(problem))
    return 'Write what is repeated before it, such as .* for any characters, or \\* for the character *.';
  if (/character class/i.test(problem) && /unterminated|missing/i.test(problem))
    return 'Write the missing ], or \\[ for the character [.';
  if (/unmatched|lone/i.test(problem)) return 'Remove it, or write a backslash before it.';
  if (/group|parenthes/i.test(problem)) return 'Write the missing ), or \\( for the character (.';
  if (/out of order/i.test(problem)) return 'Write the smaller one first, such as [a-z] or {2,5}.';
  return 'Patterns are regular expressions of JavaScript. Write, for example, ^[a-z]+$.';
}

/** What to write where a keyword has no effect. */
function schemaHint(problem: string): string {
  const [, meant] = problem.split(didYouMean);
  if (meant !== undefined) return `Did you mean ${meant}`;
  return problem.startsWith(mustBe)
    ? `Write ${problem.slice(mustBe.length)}, or remove the keyword.`
    : 'Correct it, or remove it.';
}
