/** Questions of the tests in this folder before something endless: only mutants answer yes. */

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
