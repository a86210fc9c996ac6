/** Validates names of user functions, which are names of exports and of files. */

/** Words that cannot be names of exports, or that would be misleading. */
const reserved = new Set(
  `arguments async await break case catch class const continue debugger default delete do else enum eval export extends false
  finally for function if implements import in instanceof interface let new null package private protected public return static
  super switch this throw true try typeof undefined var void while with yield`.split(/\s+/),
);

/** File names that Windows reserves for devices. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

/** The reason why the name is invalid; undefined if it is valid. */
export function functionProblem(name: string): 'characters' | 'reserved' | 'file' | undefined {
  if (!/^[A-Za-z]\w{0,59}$/.test(name)) return 'characters';
  if (reserved.has(name)) return 'reserved';
  return devices.test(name) ? 'file' : undefined;
}
