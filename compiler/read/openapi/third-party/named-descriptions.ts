/** The API descriptions named by datasources. Each file is read once, and again after changes. */
import { asThirdParty, type Datasource } from '../../config/config-model.js';
import { Recording } from '../../diagnostics/recording.js';
import type { Report } from '../../diagnostics/report.js';
import type { DescriptionInput } from '../documents.js';
import { readThirdParty, type ThirdParty } from './third-party.js';

/** Finds a file by name; `private` for the configuration and files with environment variables. */
export type FindThirdParty = (file: string) => DescriptionInput | 'private' | undefined;

interface Kept {
  readonly path: string;
  readonly text: string;
  readonly recording: Recording;
  readonly thirdParty: ThirdParty | undefined;
}

export class ThirdPartyCache {
  #kept: readonly Kept[] = [];
  #used: Kept[] = [];

  /** Returns the same object as long as the file is unchanged. */
  read(input: DescriptionInput, report: Report): ThirdParty | undefined {
    const { path, text } = input.source;
    const isSame = (one: Kept): boolean => one.path === path && one.text === text;
    const kept = this.#used.find(isSame) ?? this.#kept.find(isSame) ?? readNow(input);
    if (!this.#used.includes(kept)) this.#used.push(kept);
    report.replay(kept.recording.all);
    return kept.thirdParty;
  }

  /** Forgets the files not used since the last call. */
  forgetUnused(): void {
    this.#kept = this.#used;
    this.#used = [];
  }
}

function readNow(input: DescriptionInput): Kept {
  const recording = new Recording();
  const thirdParty = readThirdParty(input, recording);
  return { ...input.source, recording, thirdParty };
}

/** The descriptions by datasource name. Reports files that are missing or are not API descriptions. */
export function readThirdParties(
  datasources: readonly Datasource[],
  find: FindThirdParty,
  report: Report,
  kept = new ThirdPartyCache(),
): ReadonlyMap<string, ThirdParty> {
  const found = new Map<string, ThirdParty>();
  for (const datasource of datasources) {
    const { name } = datasource;
    const description = asThirdParty(datasource)?.description;
    if (description === undefined) continue;
    const input = find(description.value);
    if (input === undefined || input === 'private') {
      report.add('missing-description', description.span, {
        file: description.value,
        isPrivate: input === 'private',
      });
      continue;
    }
    const thirdParty = kept.read(input, report);
    if (thirdParty !== undefined) found.set(name.value, thirdParty);
  }
  kept.forgetUnused();
  return found;
}
