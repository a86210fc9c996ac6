/**
 * Strings from users remain strings in all output of commands: each hostile text, at all positions that accept it, yields output with the
 * same structure as a plain word.
 */
import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { hostileTexts } from '../emit/hostile.js';
import { everyOf } from '../helpers/runs.js';
import { acceptedByDatabase, acceptedPositions, textsWith } from './accepted.js';
import { inWorkflow, isDocument, outputsOf, plainName, structureOf, type Outputs } from './outputs.js';
import { allPositions, filesWith, plainAt } from './service.js';
import { moreTexts } from './texts.js';

const each = everyOf(32);
// Names of thousands of characters exceed the limit of YAML keys, and numeric strings are compared as numbers.
const texts = [...new Set([...moreTexts, ...hostileTexts])]
  .filter((text) => text.length <= 200 && !/^-?\d/.test(text))
  .filter((_, index) => index % each === 0);

/** The structures of outputs by name, with names of operations removed because they are part of file names. */
async function structures(outputs: Outputs): Promise<Map<string, unknown[]>> {
  const found = new Map<string, unknown[]>();
  for (const [name, text] of outputs) {
    const plain = plainName(name);
    found.set(plain, [...(found.get(plain) ?? []), await structureOf(name, text)]);
  }
  for (const all of found.values()) all.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return found;
}

const plain = filesWith(plainAt);

/** The word used by the plain twin; it must differ from the texts of the service used by `diff`. */
const plainText = 'word';

test('there are more than 160 positions and 90 texts', () => {
  expect(allPositions().length).toBeGreaterThan(160);
  expect(new Set([...hostileTexts, ...moreTexts]).size).toBeGreaterThan(90);
});

describe.each(texts.map((text) => [JSON.stringify(text.slice(0, 60)), text] as const))('%s', (_, text) => {
  let outputs: Outputs;
  let twin: Outputs;
  let positions: ReadonlySet<string>;

  beforeAll(async () => {
    positions = await acceptedByDatabase(text, acceptedPositions(text));
    const at = textsWith(text, positions);
    outputs = await outputsOf(filesWith(at), plain, at('job.name'));
    const atTwin = textsWith(plainText, positions);
    twin = await outputsOf(filesWith(atTwin), plain, atTwin('job.name'));
  });

  test('is accepted at most positions', () => {
    expect(positions.size).toBeGreaterThan(100);
  });

  test('every output has the structure of its plain twin', async () => {
    const expected = await structures(twin);
    const actual = await structures(outputs);
    expect([...actual.keys()].sort()).toEqual([...expected.keys()].sort());
    // Parts of a URL decide whether the URL is shown or is a secret.
    const isByUrl = /^kubernetes\/kubernetes\/(?:settings|secrets\.example)\.yaml$/;
    const others = [...actual].filter(
      ([name, structure]) => !isByUrl.test(name) && !isDeepStrictEqual(structure, expected.get(name)),
    );
    expect(Object.fromEntries(others)).toEqual(
      Object.fromEntries(others.map(([name]) => [name, expected.get(name)])),
    );
  });

  test('documents are the same in a workflow of GitHub', () => {
    for (const [name, output] of outputs)
      if (isDocument(name) && !name.includes('/')) expect(inWorkflow(output), name).toBe(output);
  });
});
