/** A build interrupted at any point leaves a folder in which the next build succeeds, whatever has changed in between. */
import { copied } from '../../compiler/notation/written.js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { GeneratedFile } from '../../compiler/generate/emit/module/file.js';
import { compareWithFolder } from '../../compiler/generate/write/compare.js';
import { writeFiles, writing } from '../../compiler/generate/write/write.js';
import { Workspace } from './workspace.js';

function generated(path: string, text: string): GeneratedFile {
  return { path, text: copied(text), kind: 'generated' };
}

function service(version: string, ...others: string[]): GeneratedFile[] {
  return [
    { path: '.env', text: copied(`A=${version}\n`), kind: 'secret' },
    generated('package.json', `${version}\n`),
    { path: 'src/app.ts', text: copied('app\n'), kind: 'once' },
    ...others.map((name) => generated(`src/operations/${name}.ts`, `${name} ${version}\n`)),
    generated('src/router.ts', `${others.join()} ${version}\n`),
  ];
}

const first = service('1', 'a', 'b');
const second = service('2', 'b', 'c');
const third = service('3', 'a', 'd');

let space: Workspace;

beforeEach(() => {
  space = new Workspace();
});

afterEach(() => {
  space.remove();
});

/** Executes the first `steps` steps of a build; returns false if there are fewer. */
function interrupt(files: readonly GeneratedFile[], steps: number): boolean {
  const build = writing(space.path('out'), files, compareWithFolder(space.path('out'), files));
  for (let step = 0; step < steps; step += 1) if (build.next().done === true) return false;
  return true;
}

function finish(files: readonly GeneratedFile[]): void {
  const plan = compareWithFolder(space.path('out'), files);
  expect(plan.conflicts).toEqual([]);
  expect(plan.kept).toEqual([]);
  writeFiles(space.path('out'), files, plan);
}

/** The folder after uninterrupted builds. */
function fresh(files: readonly GeneratedFile[]): Record<string, string> {
  const folder = new Workspace();
  try {
    writeFiles(folder.path('out'), files, compareWithFolder(folder.path('out'), files));
    return folder.files('out');
  } finally {
    folder.remove();
  }
}

describe.each([
  ['the first build', undefined],
  ['a later build', first],
])('%s', (_name, before) => {
  test.each([
    ['the same configuration', second],
    ['another configuration', third],
    ['the configuration before', first],
  ])('is repaired by a build of %s, wherever it stopped', (_what, after) => {
    let stops = 0;
    for (; ; stops += 1) {
      space.remove();
      space.write('.keep', '');
      if (before !== undefined) finish(before);
      const isInterrupted = interrupt(second, stops);
      finish(after);
      expect(space.files('out')).toEqual(fresh(after));
      if (!isInterrupted) break;
    }
    expect(stops).toBeGreaterThan(6);
  });
});

test('half a file is never visible: an unfinished one is a separate file, which the next build removes', () => {
  finish(first);
  space.write('out/.apikiln.tmp', 'half a fi');
  finish(second);
  expect(space.files('out')).toEqual(fresh(second));
});

test('a file that was edited after the interruption is still its owner’s', () => {
  finish(first);
  interrupt(second, 3);
  space.write('out/src/router.ts', 'edited\n');
  expect(compareWithFolder(space.path('out'), second).conflicts).toEqual([
    { path: 'src/router.ts', reason: 'edited' },
  ]);
});
