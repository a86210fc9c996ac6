/** Runs the command of an image as the image's user, who must not be able to write there. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Image } from './dockerfile.js';

/** A process whose output can be examined. */
export class Confined {
  printed = '';
  readonly ended: Promise<number | null>;

  constructor(readonly child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (this.printed += text));
    this.ended = once(child, 'close').then(() => child.exitCode);
  }

  /** Waits until the output matches; throws the output if the process ends first. */
  async until(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.printed);
      if (found !== null) return found;
      if (this.child.exitCode !== null || this.child.signalCode !== null) throw new Error(this.printed);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

/** Starts a command. If the tests run as root, it runs as the image's user, who owns no files in the image. */
export function runConfined(
  image: Image,
  [program = '', ...args]: readonly string[],
  environment: Readonly<Record<string, string>>,
): Confined {
  const isRoot = process.getuid?.() === 0;
  const [uid = 0, gid = 0] = (image.user ?? '0:0').split(':').map(Number);
  // Without permission to switch users, make the folder itself read-only.
  if (isRoot) execFileSync('chmod', ['-R', 'go+rX,go-w', image.root]);
  else execFileSync('chmod', ['-R', 'a-w', image.root]);
  return new Confined(
    spawn(
      program === 'node' ? process.execPath : program,
      args.map((arg) => insideRoot(image, arg)),
      {
        cwd: join(image.root, image.workingDirectory),
        env: { ...image.environment, ...environment },
        stdio: ['ignore', 'pipe', 'pipe'],
        ...(isRoot ? { uid, gid } : {}),
      },
    ),
  );
}

/** Maps absolute paths of the image to paths below its root. */
function insideRoot(image: Image, arg: string): string {
  return arg.startsWith('/') ? join(image.root, arg) : arg;
}
