/** A function of own code in the files of its owner: its file, and where it is exported. */

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
