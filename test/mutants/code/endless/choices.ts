/** What the tests beside ask before they do something that never ends: only mutants say yes. */

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
