/** The writer of YAML: values, keys and comments. */
import type { DocumentOptions, SchemaOptions, ToStringOptions } from 'yaml';
import { escapeOf, hasUnseen, inOneLine, quotedString, replaceUnseen, withoutCommands } from './unseen.js';
import { asWritten, tagOf, type Written } from './written.js';
import { yamlPackage } from './yaml-package.js';

export interface YamlComment {
  readonly path: readonly (string | number)[];
  readonly text: string;
}

/** A template literal of YAML; its holes are written YAML. */
export const yaml = Object.assign(tagOf<'yaml'>(), {
  /** Any value as a document. Strings that readers of YAML 1.1 would read as something else are in quotes: `"on"`, `"12:30"`, `"1_0"`. */
  document: (value: unknown): Written<'yaml'> => {
    return printed(value, { compat: 'yaml-1.1', lineWidth: 100 });
  },

  /**
   * Any value as people write configurations: long lines stay whole, and SQL of several lines is a block. `comments`: lines above keys, by the
   * path of each key, which is not the first one of a list's item.
   */
  lines: (value: unknown, comments: readonly YamlComment[] = []): Written<'yaml'> => {
    return printed(value, { lineWidth: 0 }, comments);
  },

  /** A string in double quotes, in one line. */
  string: (text: string): Written<'yaml'> => {
    return asWritten<'yaml'>(quotedString(text));
  },

  /** A string in single quotes, unchanged: for text from a YAML file, which has no control characters. */
  quoted: (text: string): Written<'yaml'> => {
    return asWritten<'yaml'>(`'${text.replaceAll("'", "''")}'`);
  },

  /** A name that needs no quotes, such as that of a resource, a variable or a file: letters, digits, `-`, `_` and `.`. */
  word: (name: string): Written<'yaml'> => {
    if (!/^[A-Za-z0-9][\w.-]*$/.test(name)) throw new Error('A name in YAML needs quotes.');
    return asWritten<'yaml'>(name);
  },

  /** The text of a comment without its `#`, in one line. */
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
  // All of these are in double quotes by now.
  const text = replaceUnseen(document.toString(options), escapeOf, '\n\t');
  return asWritten<'yaml'>(withoutCommands(text));
}

/** For invisible characters, line breaks and GitHub workflow commands in the eyes of a reader, and the key that merges maps. */
function needsEscapes(text: string): boolean {
  return text === '<<' || /##\[|^[^\S\n]*::/m.test(text) || hasUnseen(text, '\n\t');
}
