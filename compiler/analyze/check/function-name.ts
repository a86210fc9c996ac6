/** Valid names of user functions: each names an export and a file. */

/** Words that cannot name an export, or that everybody reads as something else. */
const reserved = new Set(
  `arguments async await break case catch class const continue debugger default delete do else enum eval export extends false
  finally for function if implements import in instanceof interface let new null package private protected public return static
  super switch this throw true try typeof undefined var void while with yield`.split(/\s+/),
);

/** File names that Windows keeps for devices. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

/** Why the name cannot be one; undefined if it can. */
export function functionProblem(name: string): 'characters' | 'reserved' | 'file' | undefined {
  if (!/^[A-Za-z]\w{0,59}$/.test(name)) return 'characters';
  if (reserved.has(name)) return 'reserved';
  return devices.test(name) ? 'file' : undefined;
}
