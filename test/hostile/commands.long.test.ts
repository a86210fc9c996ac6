/**
 * Texts of others stay texts in everything that the commands write and print: each hostile text, at all positions that accept it, gives
 * outputs of the structure that a plain text gives.
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
// Names of thousands of letters are keys that YAML does not have, and a text that is a number is compared as one.
const texts = [...new Set([...moreTexts, ...hostileTexts])]
  .filter((text) => text.length <= 200 && !/^-?\d/.test(text))
  .filter((_, index) => index % each === 0);

/** The structures of outputs by name; operations are in files of their own names. */
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

/** The text of the plain twin; different from the texts of the service that `diff` compares with. */
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
    // A part of a URL decides whether the URL is shown there, or is a secret.
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
