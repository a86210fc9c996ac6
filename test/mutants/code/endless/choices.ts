/** Conditions that guard endless code in the tests of this folder: only mutants return true. */

export function isLoop(): boolean {
  return false;
}

export function isMicrotask(): boolean {
  return false;
}

export function isHook(): boolean {
  return false;
}

export function isExit(): boolean {
  return false;
}

export function isNothing(): boolean {
  return false;
}
