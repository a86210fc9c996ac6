/** Executes a Dockerfile without a container engine: stages are folders, and unknown instructions are refused. */
import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** The result of the last build stage. */
export interface Image {
  /** The root of the image's file system. */
  readonly root: string;
  readonly workingDirectory: string;
  readonly user: string | undefined;
  readonly environment: Readonly<Record<string, string>>;
  readonly ports: readonly string[];
  /** Programs with their arguments, as in the exec form. */
  readonly healthCheck: readonly string[];
  readonly entryPoint: readonly string[];
  readonly command: readonly string[];
}

type Stage = { -readonly [Field in keyof Image]: Image[Field] };

/** Builds the image in the folder `target` from the files of `context`; RUN gets only this environment. */
export async function buildImage(
  dockerfile: string,
  {
    context,
    target,
    environment,
  }: {
    readonly context: string;
    readonly target: string;
    readonly environment: Readonly<Record<string, string>>;
  },
): Promise<Image> {
  const stages = new Map<string, Stage>();
  const defaults = new Map<string, string>();
  let stage: Stage | undefined;
  for (const line of dockerfile.split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [, instruction = '', rest = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    if (instruction === 'ARG' && stage === undefined) {
      const [, name = '', value = ''] = /^(\w+)=(\S+)$/.exec(rest) ?? [];
      defaults.set(name, value);
    } else if (instruction === 'FROM') {
      const [, given = '', name = String(stages.size)] = /^(\S+)(?: AS (\S+))?$/.exec(rest) ?? [];
      const image = given.replaceAll(/\$\{(\w+)\}/g, (_, variable: string) => defaults.get(variable) ?? '');
      if (!/^node:\d+-slim$/.test(image)) throw new Error(`This test knows no image ${image}.`);
      stage = emptyStage(join(target, name));
      stages.set(name, stage);
    } else if (stage === undefined) throw new Error(`There is no stage yet: ${line}`);
    else await carryOut(stage, instruction, rest, { context, stages, environment });
  }
  if (stage === undefined) throw new Error('There is no stage.');
  return stage;
}

function emptyStage(root: string): Stage {
  const none: readonly string[] = [];
  return {
    root,
    workingDirectory: '/',
    user: undefined,
    environment: {},
    ports: none,
    healthCheck: none,
    entryPoint: none,
    command: none,
  };
}

interface Surroundings {
  readonly context: string;
  readonly stages: ReadonlyMap<string, Stage>;
  readonly environment: Readonly<Record<string, string>>;
}

async function carryOut(
  stage: Stage,
  instruction: string,
  rest: string,
  around: Surroundings,
): Promise<void> {
  switch (instruction) {
    case 'WORKDIR':
      stage.workingDirectory = rest;
      await mkdir(join(stage.root, rest), { recursive: true });
      break;
    case 'COPY':
      await copy(stage, rest, around);
      break;
    case 'RUN':
      await promisify(execFile)('/bin/sh', ['-c', rest], {
        cwd: join(stage.root, stage.workingDirectory),
        env: { ...around.environment, ...stage.environment },
      });
      break;
    case 'ENV':
      for (const [, name = '', value = ''] of rest.matchAll(/(\w+)=(\S*)/g))
        stage.environment = { ...stage.environment, [name]: value };
      break;
    case 'USER':
      stage.user = rest;
      break;
    case 'EXPOSE':
      stage.ports = [...stage.ports, rest];
      break;
    case 'HEALTHCHECK':
      stage.healthCheck = execForm(rest.replace(/^(?:--\S+ )*CMD /, ''));
      break;
    case 'ENTRYPOINT':
      stage.entryPoint = execForm(rest);
      break;
    case 'CMD':
      stage.command = execForm(rest);
      break;
    default:
      throw new Error(`This test knows no ${instruction}.`);
  }
}

/** A shell between the engine and the program would not forward signals. */
function execForm(text: string): string[] {
  return JSON.parse(text) as string[];
}

/** `name*` is optional: a pattern that matches nothing is ignored if the instruction names another file. */
async function copy(stage: Stage, rest: string, { context, stages }: Surroundings): Promise<void> {
  const [, from, names = ''] = /^(?:--from=(\S+) )?(.+)$/.exec(rest) ?? [];
  const source = from === undefined ? context : stages.get(from)?.root;
  if (source === undefined) throw new Error(`There is no stage ${from ?? ''}.`);
  const paths = names.split(' ');
  const target = join(stage.root, stage.workingDirectory, paths.pop() ?? '');
  for (const path of paths) {
    const isPattern = path.endsWith('*');
    const found = join(source, isPattern ? path.slice(0, -1) : path);
    if (isPattern && !(await readdir(dirname(found))).includes(path.slice(0, -1))) continue;
    const isFolder = (await stat(found)).isDirectory();
    const isInto = names.endsWith('/') && !isFolder;
    const end = isInto ? join(target, path.replace(/\*$/, '').split('/').at(-1) ?? '') : target;
    await cp(found, end, { recursive: true, verbatimSymlinks: true });
  }
}
