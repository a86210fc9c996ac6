/** Processor time of `npm ci && npm run build` for a generated service, with all packages in npm's cache. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench, Job } from '../bench.js';
import { atMost, type Row } from '../row.js';
import { childrenTime } from '../processor-time.js';
import { median } from '../statistics.js';
import { apikiln, runNode } from '../workshop.js';

export const install: Job = { name: 'install', run };

/** Processor time of apikiln's first version in seconds: 13.8 to install and 4.4 to build. */
const first = 13.8 + 4.4;

async function run(bench: Bench): Promise<Row[]> {
  await bench.workshop.compiler();
  const installs: number[] = [];
  const builds: number[] = [];
  // The first round is not measured, because it fills npm's cache.
  for (let round = 0; round <= (bench.quick ? 1 : 3); round++) {
    const out = mkdtempSync(join(bench.workshop.folder, 'installed-'));
    await runNode([apikiln, 'build', bench.workshop.configPath('news.yaml'), '--out', out, '--quiet']);
    const [installed, built] = [
      processorTimeOf(['ci', '--no-audit', '--no-fund'], out),
      processorTimeOf(['run', 'build'], out),
    ];
    if (round === 0) continue;
    installs.push(installed);
    builds.push(built);
  }
  return [
    {
      job: 'install',
      goal: 'Processor time of npm ci and npm run build of a generated service, against that of the first version (18.2 s)',
      target: atMost(0.5),
      figures: installs.map((installed, round) => (installed + (builds[round] ?? NaN)) / first),
      parts: [
        { name: 'npm ci', seen: `${median(installs).toFixed(1)} s` },
        { name: 'npm run build', seen: `${median(builds).toFixed(1)} s` },
      ],
    },
  ];
}

/** Seconds used by npm and all of its child processes. */
function processorTimeOf(args: readonly string[], folder: string): number {
  const before = childrenTime(process.pid);
  const { status, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed:\n${stderr}`);
  return childrenTime(process.pid) - before;
}
