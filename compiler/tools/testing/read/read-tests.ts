/** Reads a test file: reports every error, and returns the readable part. */
import { readDisableComments } from '../../../analyze/check/disable-comments.js';
import type { Config } from '../../../read/config/config-model.js';
import { Fields } from '../../../read/config/fields.js';
import { isBroken, isEmpty, type MapNode, type Node } from '../../../read/config/yaml/node.js';
import { readYaml } from '../../../read/config/yaml/yaml-document.js';
import type { Diagnostic } from '../../../read/diagnostics/diagnostic.js';
import { Report } from '../../../read/diagnostics/report.js';
import type { Source } from '../../../read/source.js';
import { nearest } from '../../../read/diagnostics/suggest.js';
import { declaredIn, passingOf, settings } from './passed-variables.js';
import { readAction } from './read-action.js';
import { readExpectedResponse, readKeep } from './read-response-expected.js';
import { readMails } from './read-mails.js';
import { readRows } from './read-rows.js';
import { readStubs } from './read-stubs.js';
import { checkValue } from './read-values.js';
import { testFields } from './test-fields.js';
import type { BesideTests, TestScope } from './test-scope.js';
import type { ConfigTest, TestFile, TestStep } from './test-model.js';

export interface ReadTests {
  readonly file: TestFile | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** The tests of a file; undefined if the file does not contain any. */
export function readTests(
  source: Source,
  config: Config,
  { hasOwnPages = false, thirdParties = new Map(), severities, variables, problemOfFile }: BesideTests = {},
): ReadTests {
  const report = new Report(severities);
  readDisableComments(source, report);
  const file = readFile(source, {
    ...{ config, report, hasOwnPages, thirdParties, variables },
    problemOfFile: (path) => problemOfPath(path) ?? problemOfFile?.(path, source.path),
  });
  return { file, diagnostics: report.diagnostics };
}

function readFile(source: Source, scope: TestScope): TestFile | undefined {
  const { report } = scope;
  const root = readYaml(source, report);
  if (root === undefined) return undefined;
  if (root.kind !== 'map') {
    if (!isBroken(root))
      report.add(
        'wrong-kind',
        { source, start: 0, end: 0 },
        { what: 'A test file', expected: 'a map with the field tests', example: 'tests:' },
      );
    return undefined;
  }
  const own = { ...root, entries: root.entries.filter(({ key }) => !key.text.value.startsWith('x-')) };
  const fields = new Fields('A test file', own, testFields['a test file'], report);
  fields.require();
  const environment = (fields.section('environment')?.entries ?? []).flatMap(({ key, value }) => {
    const passing = passingOf(key.text.value, scope.config, scope.variables);
    if (passing !== 'passed') {
      report.add('test-variable', key.span, {
        name: key.text.value,
        passing,
        nearest: nearest(key.text.value, [...settings, ...declaredIn(scope.config)]),
      });
      return [];
    }
    if (value.kind === 'scalar') return [[key.text.value, value.text.value] as const];
    report.add('wrong-kind', value.span, {
      what: `The variable '${key.text.value}'`,
      expected: 'a string',
      example: `${key.text.value}: http://localhost:8081`,
    });
    return [];
  });
  return {
    source,
    environment: Object.fromEntries(environment),
    tests: fields.maps('tests', 'a test').map((map) => readTest(map, scope)),
  };
}

/** Why a path cannot be in the test file's folder. */
function problemOfPath(path: string): string | undefined {
  const isOutside = /^(?:[\\/]|\w:)|(?:^|[\\/])\.\.(?:[\\/]|$)/.test(path);
  return isOutside ? 'is not in the folder of the test file' : undefined;
}

function readTest(map: MapNode, scope: TestScope): ConfigTest {
  const { report } = scope;
  const what = nameOf(map, 'Test', 'A test');
  const fields = new Fields(what, map, testFields['a test'], report);
  fields.require();
  const steps = fields.has('steps')
    ? readSteps(fields, what, scope)
    : readStep(map, fields, undefined, scope, []);
  return {
    name: fields.stringWithSpan('name') ?? { value: '', span: fields.headSpan },
    seed: fields.boolean('seed') ?? true,
    uuids: readUuids(fields, report),
    randoms: readRandoms(fields, report),
    rows: readRows(fields.section('rows'), false, scope),
    steps,
  };
}

function readUuids(fields: Fields, report: Report): string[] {
  return (fields.list('uuids')?.items ?? []).flatMap((item) => {
    const text = item.kind === 'scalar' ? item.text.value : '';
    if (/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)) return [text];
    report.add('test-value', item.span, {
      problem: "An item of 'uuids' is a UUID.",
      hint: 'Write for example uuids: [00000000-0000-4000-8000-000000000001]',
    });
    return [];
  });
}

/** Any strings: what a test compares with them need not look random. */
function readRandoms(fields: Fields, report: Report): string[] {
  return (fields.list('randoms')?.items ?? []).flatMap((item) => {
    const text = item.kind === 'scalar' ? item.text.value : '';
    if (text !== '') return [text];
    report.add('test-value', item.span, {
      problem: "An item of 'randoms' is a string.",
      hint: 'Write for example randoms: [first-token]',
    });
    return [];
  });
}

/** The timestamp as NOW returns it. */
function readNow(fields: Fields, report: Report): string | undefined {
  const written = fields.text('now');
  if (written === undefined) return undefined;
  const isTimestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/.test(
    written.value,
  );
  const time = isTimestamp ? Date.parse(written.value) : NaN;
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  report.add('test-value', written.span, {
    problem: "'now' is a timestamp with its time zone.",
    hint: 'Write for example now: 2026-01-31T12:00:00Z',
  });
  return undefined;
}

function readSteps(test: Fields, what: string, scope: TestScope): TestStep[] {
  const { report } = scope;
  const now = readNow(test, report);
  const others = Object.keys(testFields['a step']).filter(
    (field) => field !== 'name' && field !== 'now' && test.has(field),
  );
  if (others.length > 0) {
    const own = ['request', 'operationName', 'tool', 'trigger'].filter((field) => test.has(field));
    report.add('test-action', test.headSpan, {
      what,
      written: [...(own.length > 0 ? own : others), 'steps'],
      isList: true,
    });
  }
  test.requireItems('steps');
  const kept: string[] = [];
  return test
    .maps('steps', 'a step', ['name', 'request', 'operationName', 'tool', 'trigger'])
    .flatMap((map, index) => {
      const fields = new Fields(nameOf(map, 'Step', 'A step'), map, testFields['a step'], report);
      const name = fields.stringWithSpan('name')?.value ?? `step ${index + 1}`;
      const steps = readStep(map, fields, name, scope, kept).map((step) => ({
        ...step,
        now: step.now ?? now,
      }));
      for (const { keep, mails } of steps)
        kept.push(...[...keep, ...mails.flatMap((mail) => mail.keep)].map((one) => one.name));
      return steps;
    });
}

/** `kept`: names of values kept by earlier steps. */
function readStep(
  map: MapNode,
  fields: Fields,
  name: string | undefined,
  scope: TestScope,
  kept: readonly string[],
): TestStep[] {
  checkValue(map, scope.report, kept);
  const response = readExpectedResponse(fields, scope);
  const action = readAction(fields, response, scope);
  const stubs = readStubs(fields.section('datasources'), scope);
  const mails = readMails(fields.node('mail'), scope);
  const rowsAfter = readRows(fields.section('rowsAfter'), true, scope);
  const keep = readKeep(fields, scope);
  const now = readNow(fields, scope.report);
  return action === undefined
    ? []
    : [{ name, now, action, stubs, mails, response, rowsAfter, keep, node: map }];
}

function nameOf(map: MapNode, kind: string, otherwise: string): string {
  const name = map.entries.find(({ key }) => key.text.value === 'name')?.value;
  return isText(name) ? `${kind} '${name.text.value}'` : otherwise;
}

function isText(node: Node | undefined): node is Extract<Node, { kind: 'scalar' }> {
  return node?.kind === 'scalar' && !isEmpty(node);
}
