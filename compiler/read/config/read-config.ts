/** Reads a whole configuration and reports all errors. */
import { readBasePath, readErrors, readOmits } from './read-response.js';
import type { ForeignFile } from '../diagnostics/catalogue/config-messages.js';
import { Recording } from '../diagnostics/recording.js';
import type { Report } from '../diagnostics/report.js';
import type { Span, Source } from '../source.js';
import { Fields } from './fields.js';
import type { Config, Settings } from './config-model.js';
import { entryOf, isEmpty, type Entry, type MapNode, type Node } from './yaml/node.js';
import { hasComment, removalOf } from './yaml/remove-entry.js';
import { readDatasource, reportUnknown, type DatasourceNames } from './read-datasource.js';
import { readOperation } from './read-operation.js';
import { readLimits } from './read-limits.js';
import { readAuthentication } from './read-authentication.js';
import { readFunction } from './read-functions.js';
import { readMcp } from './read-tools.js';
import { fieldTable } from './field-table.js';
import { includedSources, oneFile } from './include/included-files.js';
import { readIncluded, reportRepeated } from './include/included-operations.js';
import { readPatterns } from './include/patterns.js';
import { Budget } from './yaml/budget.js';
import { readYaml } from './yaml/yaml-document.js';

const currentVersion = '1.0';

/** Reads a configuration as far as it is readable; undefined if the text is not a configuration at all. */
export function readConfig(source: Source, report: Report, files = oneFile): Config | undefined {
  const budget = new Budget();
  files.begin(source);
  const root = readYaml(source, report, budget);
  if (root === undefined) return undefined;
  const found = foreignRoot(root);
  if (found !== undefined) {
    report.add('not-a-configuration', found.span, { found: found.what });
    return undefined;
  }
  if (root.kind !== 'map') return undefined;
  const fields = rootFields(root, report);
  const datasources = readDatasources(fields, report);
  const own = operationEntries(fields);
  const included = includedSources(readPatterns(fields, report), files, budget, report);
  const parts = included.map((file) => {
    files.begin(file);
    return readIncluded(file, budget, report);
  });
  reportRepeated([own, ...parts], report);
  const operations = [own, ...parts]
    .flat()
    .flatMap((entry) => readOperation(entry, datasources, report) ?? []);
  reportUnknown(datasources, report);
  return {
    source,
    included,
    operations,
    datasources: [...datasources.read.values()],
    ...readOthers(fields, report),
  };
}

/** The readable include patterns of a configuration. */
export function patternsOf(source: Source): readonly string[] {
  const unheard = new Recording();
  const root = readYaml(source, unheard);
  if (root?.kind !== 'map') return [];
  return readPatterns(rootFields(root, unheard), unheard).map(({ text }) => text.value);
}

/** The kind of a file that is not a configuration, and the span that shows this. */
function foreignRoot(root: Node): { readonly what: ForeignFile; readonly span: Span } | undefined {
  if (root.kind !== 'map') {
    const { source, start } = root.span;
    const what = root.kind === 'list' ? 'list' : isEmpty(root) ? 'nothing' : 'string';
    return { what, span: what === 'nothing' ? { source, start: 0, end: 0 } : lineAt(source, start) };
  }
  const key = entryOf(root, 'openapi') ?? entryOf(root, 'swagger');
  const isConfig = ['specification', 'include', 'operations', 'datasources'].some((field) =>
    entryOf(root, field),
  );
  return key === undefined || isConfig ? undefined : { what: 'description', span: key.key.span };
}

/** The rest of the line, without trailing white space. */
function lineAt(source: Source, start: number): Span {
  const [line = ''] = /^.*/.exec(source.text.slice(start, start + 1000)) ?? [];
  return { source, start, end: start + line.trimEnd().length };
}

/** The sections of a configuration. Reports errors in its version. */
export function rootFields(root: MapNode, report: Report): Fields {
  const fields = new Fields('The configuration', withoutOwn(root), fieldTable.configuration, report);
  checkVersion(root, fields, report);
  if (!fields.has('include')) fields.require(['operations']);
  return fields;
}

/** The YAML entries of the operations. */
export function operationEntries(fields: Fields): readonly Entry[] {
  return entries(fields, 'operations');
}

/** Reads the sections other than operations and datasources. */
export function readOthers(
  fields: Fields,
  report: Report,
): Pick<Config, 'authentications' | 'functions' | 'mcp' | 'settings'> {
  return {
    authentications: entries(fields, 'authentications').flatMap(
      (entry) => readAuthentication(entry, report) ?? [],
    ),
    functions: entries(fields, 'functions').flatMap((entry) => readFunction(entry, report) ?? []),
    mcp: readMcp(fields),
    settings: readSettings(fields, report),
  };
}

/** Removes keys that begin with `x-`: these are reserved for users, for example for anchors (docs/reference/configuration.md). */
function withoutOwn(root: MapNode): MapNode {
  return { ...root, entries: root.entries.filter(({ key }) => !key.text.value.startsWith('x-')) };
}

/** The entries of a section; if the section occurs twice (already reported), those of both. */
function entries(fields: Fields, section: string): readonly Entry[] {
  const first = section === 'authentications' ? fields.section(section) : fields.mapping(section);
  const others = fields.map.entries.flatMap(({ key, value }) =>
    key.text.value === section && value.kind === 'map' && value !== first ? [value] : [],
  );
  return [first, ...others].flatMap((map) => map?.entries ?? []);
}

/** The datasources by name, with no uses recorded yet. */
export function readDatasources(fields: Fields, report: Report): DatasourceNames {
  const written = entries(fields, 'datasources');
  const read = written.flatMap((entry) => readDatasource(entry, report) ?? []);
  return {
    read: new Map(read.map((datasource) => [datasource.name.value, datasource])),
    written: new Set(written.map(({ key }) => key.text.value)),
    isComplete: !fields.has('datasources') || fields.node('datasources')?.kind === 'map',
    uses: new Map(),
    keys: new Map(written.map(({ key }) => [key.text.value, key.span])),
  };
}

/** Reports a `specification` that is missing, not first, unquoted, or a different version. */
function checkVersion(root: MapNode, fields: Fields, report: Report): void {
  const first = root.entries[0];
  if (!fields.has('specification')) {
    report.add('missing-specification', fields.headSpan);
    return;
  }
  const entry = root.entries.find(({ key }) => key.text.value === 'specification');
  if (entry === undefined) return;
  if (entry !== first) report.add('specification-first', entry.key.span);
  const text = fields.text('specification');
  if (text === undefined) return;
  if (text.value !== currentVersion) report.add('wrong-specification', text.span, { written: text.value });
  else if (entry.value.kind === 'scalar' && typeof entry.value.value === 'number')
    report.add('unquoted-specification', text.span);
}

function readSettings(root: Fields, report: Report): Settings {
  const map = root.section('settings');
  if (map === undefined) return noSettings;
  const fields = new Fields("'settings'", map, fieldTable.settings, report);
  reportFeatures(map, root.map, report);
  return {
    debug: fields.boolean('debug') ?? false,
    apiDocs: fields.boolean('apiDocs') ?? false,
    basePath: readBasePath(fields, report),
    errors: readErrors(fields, report),
    numbers: fields.word('numbers', ['exact', 'string'] as const)?.value ?? 'exact',
    omits: readOmits(fields),
    licence: fields.text('licence'),
    limits: readLimits(fields, 'settings'),
    fields: fields.spans,
  };
}

/** The comment that `apikiln init` wrote above the field. */
const commentOfInit =
  /^\s*# For (?:the image's health check|the health check of the image), and metrics\.\s*$/;

/** Reports the deprecated `settings.features`, accepted for one more version: it named parts that are now in every service. */
function reportFeatures(map: MapNode, root: MapNode, report: Report): void {
  const entry = entryOf(map, 'features');
  if (entry === undefined) return;
  const settings = root.entries.find(({ value }) => value === map);
  const isAlone = map.entries.length === 1 && settings !== undefined && !hasComment(settings, commentOfInit);
  report.add('deprecated-field', entry.key.span, {
    field: 'features',
    reason: 'all settings of the environment work in every service',
    // Computed when printed, because positions in cached parts can move.
    get edits() {
      const edit = isAlone ? removalOf(settings, root, commentOfInit) : removalOf(entry, map, commentOfInit);
      return edit === undefined ? [] : [edit];
    },
  });
}

const noSettings: Settings = {
  debug: false,
  apiDocs: false,
  basePath: '',
  errors: 'message',
  numbers: 'exact',
  omits: { null: undefined, empty: undefined },
  licence: undefined,
  limits: [],
  fields: new Map(),
};
