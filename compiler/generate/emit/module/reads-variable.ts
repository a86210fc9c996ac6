/** Whether generated code reads a variable. Strings, comments, the text of templates, fields and keys may have its name. */

/** A string, a comment, a name, or one other character. */
const token = /\/\/[^\n]*|\/\*[^]*?\*\/|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|\.\.\.|[\w$]+|[^]/y;

/** The text of a template up to its end, or to the next value in it. */
const templateText = /(?:[^`\\$]|\\[^]|\$(?!\{))*(?:`|\$\{)/y;

export function readsVariable(code: string, name: string): boolean {
  /** How many braces are open in each template around the position. */
  const templates: number[] = [];
  let at = 0;
  let before = '';
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const [text = ''] = pattern.exec(code) ?? [];
    at += text.length;
    return text;
  };
  const passText = (): void => {
    if (take(templateText).endsWith('{')) templates.push(0);
  };
  while (at < code.length) {
    const found = take(token);
    if (found === name && before !== '.' && code[at] !== ':') return true;
    const open = templates.at(-1);
    if (found === '`') passText();
    else if (found === '}' && open === 0) {
      templates.pop();
      passText();
    } else if (open !== undefined && (found === '{' || found === '}'))
      templates[templates.length - 1] = open + (found === '{' ? 1 : -1);
    before = found;
  }
  return false;
}
