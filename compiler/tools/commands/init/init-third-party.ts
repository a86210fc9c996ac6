/** `apikiln init --from-openapi FILE --as NAME`: writes a service that calls a third party, and checks it before writing any file. */
import { copied } from '../../../notation/written.js';
import { basename, extname, relative, resolve } from 'node:path';
import { checkSource } from '../../../compile.js';
import { readAssets } from '../../../generate/assets.js';
import type { Diagnostic } from '../../../read/diagnostics/diagnostic.js';
import { Report } from '../../../read/diagnostics/report.js';
import { type DescriptionInput, pathFrom } from '../../../read/openapi/documents.js';
import { readThirdParty } from '../../../read/openapi/third-party/third-party.js';
import { position, type Source } from '../../../read/source.js';
import type { InitFile } from '../../init/init-file.js';
import type { StarterSyntax } from '../../init/starter.js';
import type { ThirdPartyOperation } from '../../init/third-party/third-party-operations.js';
import { thirdPartyService, type ThirdPartyService } from '../../init/third-party/third-party-service.js';
import { wordsOf } from '../../init/words.js';
import { readTests } from '../../testing/read/read-tests.js';
import { descriptionAt } from '../shared/files/description.js';
import { refuseOther } from './refuse-other.js';
import { CommandError, exitStatus } from '../shared/output/exit-status.js';
import { packageFolder } from '../shared/files/package-folder.js';
import type { Terminal } from '../shared/output/terminal.js';

export interface ForThirdParty {
  readonly files: readonly InitFile[];
  readonly note: string;
}

/** `file` is the path of the description as entered by the user, `datasource` the name of the new datasource. Throws a CommandError. */
export function filesForThirdParty(
  file: string,
  datasource: string,
  syntax: StarterSyntax,
  { folder }: Terminal,
): ForThirdParty {
  if (syntax === 'b')
    throw new CommandError(
      exitStatus.usage,
      '--as: third parties are called in Syntax A. Leave out --syntax b; one configuration may have operations of both.',
    );
  if (!/^[A-Za-z][\w-]{0,60}$/.test(datasource))
    throw new CommandError(
      exitStatus.usage,
      `--as ${datasource}: the name of a datasource has letters, digits, '-' and '_', and begins with a letter.`,
    );
  const absolute = resolve(folder, file);
  const input = descriptionAt(file, { config: resolve(absolute, '..', 'config.yaml'), folder });
  const report = new Report();
  const thirdParty = readThirdParty(input, report);
  const [wrong] = report.diagnostics;
  if (thirdParty === undefined)
    throw new CommandError(
      exitStatus.errors,
      `Nothing was written, because of ${relative(folder, absolute) || file}: ${wrong?.message ?? 'it is not a description'}`,
    );
  if (thirdParty.paths.length === 0)
    throw new CommandError(exitStatus.errors, `${file} has no requests: there is nothing under 'paths'.`);
  const copies = copiesOf(input, file, datasource);
  const [main] = copies;
  const find = (path: string): Source | undefined => copies.find((one) => one.path === path);
  const attempt = (hasLogIn: boolean): Attempt => {
    const service = thirdPartyService(thirdParty, {
      ...{ datasource, description: main.path, words: wordsOf('a'), hasLogIn },
    });
    const check: Check = (some, made) =>
      diagnosticsOf(
        { path: 'config.yaml', text: service.config(some) },
        { path: 'config.test.yaml', text: service.tests(some, made) },
        find,
      );
    return { service, ...fine(service.operations, check) };
  };
  const whole = attempt(true);
  const { service, operations, madeUp } = whole.isDatasourceWrong ? attempt(false) : whole;
  refuseOther(service.config(operations), service.meant(operations));
  const gitignore = readAssets(packageFolder()).template('starter/gitignore');
  return {
    files: [
      { path: 'config.yaml', text: service.config(operations) },
      ...copies,
      ...(operations.length === 0
        ? []
        : [{ path: 'config.test.yaml', text: service.tests(operations, madeUp) }]),
      { path: '.gitignore', text: gitignore, mayExist: true },
    ],
    note: `\n${noteOn(operations, service.hasLogIn)}`,
  };
}

function noteOn(operations: readonly ThirdPartyOperation[], hasLogIn: boolean): string {
  const examples =
    operations.length === 0
      ? 'No operations: the description has no request that can become an example. Write an operation.'
      : `Example operations: ${operations.map(({ name }) => name).join(', ')}.`;
  return hasLogIn
    ? examples
    : `${examples}\n\nThe log-in of the description is not written: a datasource cannot have it.`;
}

interface Attempt extends ReturnType<typeof fine> {
  readonly service: ThirdPartyService;
}

/** The description and the files that it refers to; several files are put in a folder named after the datasource. */
function copiesOf(
  { source, read }: DescriptionInput,
  file: string,
  datasource: string,
): readonly [InitFile, ...InitFile[]] {
  const others = new Map<string, string>();
  const follow = (text: string, at: string): void => {
    for (const [, target = ''] of text.matchAll(/\$ref["']?\s*:\s*["']?([^"'#\s{}:]+\.(?:ya?ml|json))/gi)) {
      const path = pathFrom(at, target);
      if (path === undefined || path === basename(file) || others.has(path)) continue;
      const found = read(path);
      if (found === undefined || found === 'private') continue;
      others.set(path, found.text);
      follow(found.text, path);
    }
  };
  follow(source.text, '');
  if (others.size === 0) {
    const isJson = /^\s*\{/.test(source.text);
    const ending = /^\.(?:ya?ml|json)$/i.test(extname(file)) ? extname(file) : isJson ? '.json' : '.yaml';
    return [{ path: `${datasource}${ending}`, text: copied(source.text) }];
  }
  return [
    { path: `${datasource}/${basename(file)}`, text: copied(source.text) },
    ...[...others].map(([path, text]) => ({ path: `${datasource}/${path}`, text: copied(text) })),
  ];
}

type Check = (
  operations: readonly ThirdPartyOperation[],
  madeUp: ReadonlySet<ThirdPartyOperation>,
) => {
  readonly ofOperations: ReadonlySet<string>;
  readonly ofTests: ReadonlySet<string>;
  readonly isDatasourceWrong: boolean;
};

/** Omits operations that fail the checks; examples that contradict their own description are replaced by generated values. */
function fine(
  operations: readonly ThirdPartyOperation[],
  check: Check,
): {
  readonly operations: readonly ThirdPartyOperation[];
  readonly madeUp: ReadonlySet<ThirdPartyOperation>;
  readonly isDatasourceWrong: boolean;
} {
  const madeUp = new Set<ThirdPartyOperation>();
  let left = operations;
  let isDatasourceWrong = false;
  for (let round = 0; round <= rounds; round += 1) {
    const { ofOperations, ofTests, ...others } = check(left, madeUp);
    isDatasourceWrong = others.isDatasourceWrong;
    const wrong = left.filter(
      (one) => ofOperations.has(one.name) || (ofTests.has(one.name) && madeUp.has(one)),
    );
    const other = left.filter((one) => ofTests.has(one.name) && !madeUp.has(one));
    if (wrong.length + other.length === 0) break;
    for (const one of other) madeUp.add(one);
    left = left.filter((one) => !wrong.includes(one));
  }
  return { operations: left, madeUp, isDatasourceWrong };
}

/** At most a generated example and then a removal: more rounds are never needed. */
const rounds = 3;

/** Names of the operations with a diagnostic in the configuration or the tests. */
function diagnosticsOf(
  config: Source,
  tests: Source,
  find: (path: string) => Source | undefined,
): ReturnType<Check> {
  const { diagnostics, analysis } = checkSource({
    config,
    thirdParty: (path) => {
      const source = find(path);
      const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/') + 1) : '';
      return source && { source, read: (other) => find(`${folder}${other}`) };
    },
  });
  const read = analysis && readTests(tests, analysis.config, analysis.beside);
  return {
    ofOperations: namesAt(diagnostics, config, /^ {2}(\S.*?):$/),
    ofTests: namesAt(read?.diagnostics ?? [], tests, /^ {2}- name: (.*)$/),
    isDatasourceWrong: diagnostics.some(
      ({ severity, span: { source, start } }) =>
        severity === 'error' &&
        source.path === config.path &&
        start > config.text.lastIndexOf('\ndatasources:'),
    ),
  };
}

/** The entries that contain diagnostics, found by the first line of each entry. */
function namesAt(
  diagnostics: readonly Diagnostic[],
  { path, text }: Source,
  begin: RegExp,
): ReadonlySet<string> {
  const lines = text.split('\n');
  return new Set(
    diagnostics.flatMap(({ span }) => {
      if (span.source.path !== path) return [];
      for (let { line } = position(span.source, span.start); line > 0; line -= 1) {
        const name = begin.exec(lines[line - 1] ?? '')?.[1];
        if (name !== undefined) return [name.replaceAll(/^["']|["']$/g, '')];
      }
      return [];
    }),
  );
}
