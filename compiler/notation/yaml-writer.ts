/** Writes YAML values, keys and comments. */
import type { DocumentOptions, SchemaOptions, ToStringOptions } from 'yaml';
import { escapeOf, hasUnseen, inOneLine, quotedString, replaceUnseen, withoutCommands } from './unseen.js';
import { asWritten, tagOf, type Written } from './written.js';
import { yamlPackage } from './yaml-package.js';

export interface YamlComment {
  readonly path: readonly (string | number)[];
  readonly text: string;
}

/** A template literal for YAML. Substitutions must be YAML. */
export const yaml = Object.assign(tagOf<'yaml'>(), {
  /** Any value as a document. Strings that YAML 1.1 parsers would misread are quoted: `"on"`, `"12:30"`, `"1_0"`. */
  document: (value: unknown): Written<'yaml'> => {
    return printed(value, { compat: 'yaml-1.1', lineWidth: 100 });
  },

  /**
   * Any value in the usual style of configurations: long lines are not wrapped, and multi-line SQL is a block. `comments` are lines above
   * keys, by the path of the key, which must not be the first key of a list item.
   */
  lines: (value: unknown, comments: readonly YamlComment[] = []): Written<'yaml'> => {
    return printed(value, { lineWidth: 0 }, comments);
  },

  /** A double-quoted string on one line. */
  string: (text: string): Written<'yaml'> => {
    return asWritten<'yaml'>(quotedString(text));
  },

  /** A single-quoted string, unchanged: for text from a YAML file, which does not contain control characters. */
  quoted: (text: string): Written<'yaml'> => {
    return asWritten<'yaml'>(`'${text.replaceAll("'", "''")}'`);
  },

  /** A name that does not need quotes, such as that of a resource, variable or file: letters, digits, `-`, `_` and `.`. */
  word: (name: string): Written<'yaml'> => {
    if (!/^[A-Za-z0-9][\w.-]*$/.test(name)) throw new Error('A name in YAML needs quotes.');
    return asWritten<'yaml'>(name);
  },

  /** The text of a comment, on one line and without the `#`. */
  comment: (text: string): Written<'yaml'> => {
    return asWritten<'yaml'>(inOneLine(text));
  },
});

function printed(
  value: unknown,
  options: DocumentOptions & SchemaOptions & ToStringOptions,
  comments: readonly YamlComment[] = [],
): Written<'yaml'> {
  const { Document, isMap, isScalar, visit } = yamlPackage();
  const document = new Document(value, { aliasDuplicateObjects: false, ...options });
  visit(document, {
    Scalar: (_, scalar) => {
      if (typeof scalar.value === 'string' && needsEscapes(scalar.value)) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  for (const { path, text } of comments) {
    const map = document.getIn(path.slice(0, -1), true);
    const key = isMap(map)
      ? map.items.map((pair) => pair.key).find((one) => isScalar(one) && one.value === path.at(-1))
      : undefined;
    if (!isScalar(key)) throw new Error('A comment in YAML has no place.');
    key.commentBefore = ` ${yaml.comment(text)}`;
  }
  // All strings with such characters are now double-quoted.
  const text = replaceUnseen(document.toString(options), escapeOf, '\n\t');
  return asWritten<'yaml'>(withoutCommands(text));
}

/** Whether the string must be double-quoted: it contains invisible characters or a GitHub workflow command, or is the merge key. */
function needsEscapes(text: string): boolean {
  return text === '<<' || /##\[|^[^\S\n]*::/m.test(text) || hasUnseen(text, '\n\t');
}
