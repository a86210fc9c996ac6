/**
 * `npm run workflow -- <workflow> <job> [--skip <text>]…`: runs the `run:` lines of a job of .github/workflows on this machine, in a clone of
 * the last commit. Actions, containers and secrets are left out, and so are steps that contain a skipped text.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root, stop } from './prepare.mjs';

const [workflow = '', job = '', ...options] = process.argv.slice(2);
const skipped = options.filter((_, index) => options[index - 1] === '--skip');
const { jobs } = parse(readFileSync(join(root, `.github/workflows/${workflow}.yml`), 'utf8'));
const steps =
  jobs[job]?.steps ?? stop(`${workflow} has no job '${job}'. It has ${Object.keys(jobs).join(', ')}.`);

const folder = mkdtempSync(join(tmpdir(), 'apikiln-workflow-'));
const clone = join(folder, 'apikiln');
try {
  execFileSync('git', ['clone', '--quiet', '--no-hardlinks', root, clone], { stdio: 'inherit' });
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const env = { ...process.env, CI: 'true', RUNNER_TEMP: folder, GITHUB_REF_NAME: `v${version}` };
  for (const { run, uses, name = run } of steps) {
    if (run === undefined) console.log(`\n- ${uses}: left out`);
    else if (skipped.some((text) => run.includes(text))) console.log(`\n- ${name}: skipped`);
    else {
      console.log(`\n> ${run}`);
      const { status } = spawnSync('bash', ['-eo', 'pipefail', '-c', run], {
        cwd: clone,
        env,
        stdio: 'inherit',
      });
      if (status !== 0) stop(`It ended with status ${status}.`);
    }
  }
  console.log(`\nAll steps of ${workflow} ${job} have passed.`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
