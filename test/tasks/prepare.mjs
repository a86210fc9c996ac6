/** Shared start of all tasks, on a machine that has only Node: checks the Node version and installs dependencies. Uses plain Node. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's folder. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** Ends the task with a message if Node is too old; installs node_modules if it is missing or does not match package-lock.json. */
export function prepare() {
  requireNode(20, 19);
  if (!isInstalled()) install();
}

/** Runs a program from node_modules and returns its exit status. */
export function runProgram(program, args, folder = root) {
  const path = join(root, 'node_modules', program);
  return spawnSync(process.execPath, [path, ...args], { cwd: folder, stdio: 'inherit' }).status ?? 1;
}

/** Runs a program in the background, with Node options and environment variables; returns its exit status and output. */
export async function runBeside(program, args, { options = [], env = {} } = {}) {
  const child = start(program, args, ['ignore', 'pipe', 'pipe'], { options, env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  return { status: await statusOf(child), output };
}

/** Runs a program whose output is shown immediately; returns its exit status. */
export function runShown(program, args) {
  return statusOf(start(program, args, 'inherit'));
}

function start(program, args, stdio, { options = [], env = {} } = {}) {
  const path = join(root, 'node_modules', program);
  return spawn(process.execPath, [...options, path, ...args], {
    cwd: root,
    stdio,
    env: { ...process.env, ...env },
  });
}

function statusOf(child) {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      resolve(code ?? 1);
    });
  });
}

export function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** Ends the task with a message. */
export function stop(sentence) {
  console.error(sentence);
  process.exit(1);
}

function requireNode(major, minor) {
  const [haveMajor = 0, haveMinor = 0] = process.versions.node.split('.').map(Number);
  if (haveMajor > major || (haveMajor === major && haveMinor >= minor)) return;
  stop(`apikiln needs Node ${major}.${minor} or newer; this is Node ${process.versions.node}.`);
}

/** Whether node_modules matches package-lock.json exactly; npm records what it has installed. */
function isInstalled() {
  const noted = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(noted)) return false;
  if (!existsSync(join(root, 'package-lock.json'))) return true;
  const wanted = readJson(join(root, 'package-lock.json')).packages;
  const there = readJson(noted).packages;
  // npm skips packages that are optional on other platforms.
  return Object.entries(wanted).every(
    ([path, entry]) =>
      path === '' || entry.optional || entry.devOptional || there[path]?.version === entry.version,
  );
}

function install() {
  const command = existsSync(join(root, 'package-lock.json')) ? 'ci' : 'install';
  console.log(`Installing the dependencies (npm ${command}) …`);
  // Use the npm that runs this task, if any, because PATH may contain a different one.
  const npm = process.env.npm_execpath;
  const [program, ...before] = npm?.endsWith('.js') ? [process.execPath, npm] : ['npm'];
  const options = { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' };
  const { status } = spawnSync(program, [...before, command, '--no-audit', '--no-fund'], options);
  if (status !== 0) stop(`npm ${command} failed.`);
}
