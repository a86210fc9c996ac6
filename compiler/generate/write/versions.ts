/** Versions as package.json has them: which of two is later. */

interface Version {
  /** Major, minor and patch. */
  readonly numbers: readonly number[];
  readonly isPreliminary: boolean;
}

/** True for 1.2.0 after 1.1.9 or 1.2.0-beta; false if one of them is not such a version. Of ^1.2.0 the first version counts. */
export function isLater(version: unknown, other: unknown): boolean {
  const [one, two] = [versionOf(version), versionOf(other)];
  if (one === undefined || two === undefined) return false;
  const difference = one.numbers.map((number, index) => number - (two.numbers[index] ?? 0)).find(Boolean);
  return difference === undefined ? two.isPreliminary && !one.isPreliminary : difference > 0;
}

/** Whether both versions have the same major number, such as 1.9.0 and 1.2.0: then they are compatible. */
export function haveSameMajor(version: unknown, other: unknown): boolean {
  return versionOf(version)?.numbers[0] === versionOf(other)?.numbers[0];
}

function versionOf(written: unknown): Version | undefined {
  const found = /^[~^]?(\d+)\.(\d+)\.(\d+)(-[\w.-]+)?(?:\+[\w.-]+)?$/.exec(String(written));
  return found === null
    ? undefined
    : { numbers: found.slice(1, 4).map(Number), isPreliminary: found[4] !== undefined };
}
