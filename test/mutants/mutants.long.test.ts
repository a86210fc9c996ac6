/**
 * Mutated fixture configurations: `check` never throws and never shows a secret; accepted configurations also build, and some of the builds
 * are type-checked. MUTANTS=100000 makes more mutants, MUTANTS_FROM selects different ones, and MUTANTS_BUILD=1 builds all accepted ones
 * instead of one in eight; the figures are then printed.
 */
import { noColours } from '../../compiler/notation/screen-writer.js';
import { describe, expect, test } from 'vitest';
import { plan } from '../../compiler/generate/plan/plan.js';
import { compile, checkSource, type Input } from '../../compiler/compile.js';
import { printText } from '../../compiler/read/diagnostics/print/print-diagnostic.js';
import type { GeneratedFile } from '../../compiler/generate/emit/module/file.js';
import { CompilationCache } from '../../compiler/generate/emit/compilation-cache.js';
import { assets } from '../emit/compile-text.js';
import { Random } from '../helpers/random.js';
import { inputOf, serviceFixtures } from '../helpers/service-fixture.js';
import { isOperationOrImport, typeErrors } from '../helpers/type-check.js';
import { mutate } from './mutate.js';
import { printJson } from '../helpers/print-json.js';

const count = Number(process.env['MUTANTS'] ?? 200);
const from = Number(process.env['MUTANTS_FROM'] ?? 1);
const buildOneIn = Number(process.env['MUTANTS_BUILD'] ?? 8);
/** The maximum number of type-checked builds. */
const maxTypeChecked = process.env['MUTANTS'] === undefined ? 8 : 300;

/** A secret that no diagnostic may show. Mutations may split it, so only a part of it is searched for. */
const canary = 'kZ7vQ2xW9j';
const shown = /Z7vQ2xW9/;

const bases = serviceFixtures()
  .filter(({ database }) => database === 'postgresql')
  .map((fixture) => ({
    name: fixture.name,
    input: withCanaries(inputOf(fixture)),
    memory: new CompilationCache(),
  }));

function withCanaries(input: Input): Input {
  const text = input.config.text
    .replaceAll(/^(\s+(?:user|password|licence): ).*$/gm, `$1${canary}`)
    .replaceAll(/^(\s+url: jdbc:\S+)$/gm, (url) =>
      /[?]/.test(url) ? url : `${url}?user=u&password=${canary}`,
    );
  return { ...input, config: { ...input.config, text } };
}

interface Found {
  readonly threw: string[];
  readonly leaked: string[];
  readonly unbuilt: string[];
  readonly accepted: { name: string; files: readonly GeneratedFile[] }[];
  slowest: { seconds: number; mutant: string };
  planned: number;
  builds: number;
}

async function tryMutant(at: number, found: Found): Promise<void> {
  const random = new Random(at);
  const base = random.pick(bases);
  const { text, staysInPlace } = mutate(base.input.config.text, random);
  const name = `${base.name} ${at}`;
  const input = { ...base.input, config: { ...base.input.config, text } };
  const start = process.cpuUsage();
  let isPlanned = false;
  try {
    const { diagnostics, service } = checkSource(input);
    if (service !== undefined) plan(service);
    isPlanned = service !== undefined;
    const texts = diagnostics.map((diagnostic) => printText(diagnostic, noColours));
    const leak = [...texts, printJson(diagnostics)].find((one) => shown.test(one));
    if (leak !== undefined && staysInPlace) found.leaked.push(`${name}: ${leak.slice(0, 600)}`);
  } catch (error) {
    found.threw.push(
      `${name}: ${error instanceof Error ? String(error.stack).slice(0, 400) : String(error)}`,
    );
  }
  const { user, system } = process.cpuUsage(start);
  const seconds = (user + system) / 1e6;
  if (seconds > found.slowest.seconds) found.slowest = { seconds, mutant: name };
  if (!isPlanned) return;
  found.planned += 1;
  if (found.planned % buildOneIn !== 0) return;
  try {
    const { files } = await compile(input, assets, base.memory);
    base.memory.forget();
    found.builds += 1;
    const isEach = found.builds % Math.ceil(count / 4 / buildOneIn / maxTypeChecked) === 0;
    if (files !== undefined && isEach && found.accepted.length < maxTypeChecked)
      found.accepted.push({ name: `m${at}`, files });
  } catch (error) {
    found.unbuilt.push(
      `${name}: ${error instanceof Error ? String(error.stack).slice(0, 400) : String(error)}`,
    );
  }
}

describe('mutated configurations', () => {
  test(`${count} of them`, async () => {
    const found: Found = {
      ...{ threw: [], leaked: [], unbuilt: [], accepted: [], planned: 0, builds: 0 },
      slowest: { seconds: 0, mutant: '' },
    };
    for (let at = from; at < from + count; at += 1) {
      await tryMutant(at, found);
      if (process.env['MUTANTS'] !== undefined && at % 5000 === 0)
        console.log(at, found.threw, found.leaked, found.unbuilt, found.slowest);
    }
    const { threw, leaked, unbuilt, accepted, slowest, planned, builds } = found;
    const types = typeErrors(accepted, isOperationOrImport);
    if (process.env['MUTANTS'] !== undefined)
      console.log({ count, planned, builds, typeChecked: accepted.length, slowest });
    expect({ threw, leaked, unbuilt, types }).toEqual({ threw: [], leaked: [], unbuilt: [], types: [] });
    expect(planned).toBeGreaterThan(count / 20);
  }, 36_000_000);
});
