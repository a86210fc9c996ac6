/** A function of own code in the files of its owner: where it is exported, and its other names there. */
import { inputType, resultType } from '../../generate/emit/service/function-types.js';
import type { Edit } from '../../read/diagnostics/fix.js';

/** The path of its file, from the service's folder. */
export function fileOfFunction(name: string): string {
  return `src/code/${name}.ts`;
}

/** Where the name of the exported function is in its file; undefined where it is not there. */
export function exportIn(text: string, name: string): number | undefined {
  const declared = new RegExp(
    `^export\\s+(?:async\\s+)?(?:function\\s*\\*?|const|let|var)\\s*\\b(?=${name}\\b)`,
    'm',
  ).exec(text);
  if (declared !== null) return declared.index + declared[0].length;
  const listed = new RegExp(`^export\\s*\\{[^}]*?\\b(?=${name}\\s*[,}])`, 'm').exec(text);
  return listed === null ? undefined : listed.index + listed[0].length;
}

/** The edits of a file that give the function another name, and its types those that the next build writes. */
export function renamedIn(text: string, name: string, newName: string): Edit[] {
  const names = new Map([
    [name, newName],
    [inputType(name), inputType(newName)],
    [resultType(name), resultType(newName)],
  ]);
  return [...text.matchAll(/(?<![\w$])[A-Za-z]\w*(?![\w$])/g)].flatMap(({ 0: word, index }) => {
    const other = names.get(word);
    return other === undefined ? [] : [{ start: index, end: index + word.length, text: other }];
  });
}

/** Whether a file of the owner imports that of the function. */
export function importsFunction(text: string, name: string): boolean {
  return new RegExp(`\\bfrom\\s*['"][^'"]*/${name}\\.js['"]`).test(text);
}
