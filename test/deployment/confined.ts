/** Runs the command of an image as its user, who must not write anything there. */
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

  /** Waits until its output matches; throws the output if it ended instead. */
  async until(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.printed);
      if (found !== null) return found;
      if (this.child.exitCode !== null || this.child.signalCode !== null) throw new Error(this.printed);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

/** The process of one command; as root it becomes the image's user, to whom nothing in the image belongs. */
export function runConfined(
  image: Image,
  [program = '', ...args]: readonly string[],
  environment: Readonly<Record<string, string>>,
): Confined {
  const isRoot = process.getuid?.() === 0;
  const [uid = 0, gid = 0] = (image.user ?? '0:0').split(':').map(Number);
  // Without the rights to switch users, the folder itself is made read-only.
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

/** Absolute paths of the image are below its root. */
function insideRoot(image: Image, arg: string): string {
  return arg.startsWith('/') ? join(image.root, arg) : arg;
}
