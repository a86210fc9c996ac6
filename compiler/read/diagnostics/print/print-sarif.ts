/** Prints diagnostics as SARIF 2.1.0, which code scanning services read. */
import { type Written } from '../../../notation/written.js';
import { json } from '../../../notation/json-writer.js';
import { pathToFileURL } from 'node:url';
import { isAbsolute } from 'node:path';
import type { Span } from '../../source.js';
import type { Diagnostic } from '../diagnostic.js';
import type { Explanations } from '../explanation.js';
import type { JsonRange } from './json-diagnostic.js';
import { jsonOf, rangeOf } from './print-json.js';

/** The project page, shown as a link by SARIF viewers. To be completed with the owner's account. */
const projectPage = 'https://github.com/OWNER/apikiln';

/** The reason for a failed run without diagnostics. */
export interface RunFailure {
  readonly status: number;
  readonly message: string;
}

/** Prints a SARIF log with a single run. Its rules are the reported codes, with their explanations. */
export function printSarif(
  diagnostics: readonly Diagnostic[],
  explanations: Explanations,
  version: string,
  failure?: RunFailure,
): Written<'json'> {
  const codes = [...new Set(diagnostics.map(({ code }) => code))].sort();
  const rules = codes.map((id) => ruleOf(id, explanations, diagnostics));
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'apikiln', informationUri: projectPage, semanticVersion: version, rules } },
        columnKind: 'utf16CodeUnits',
        invocations: [invocationOf(failure)],
        results: diagnostics.map((diagnostic) => resultOf(diagnostic, codes.indexOf(diagnostic.code))),
      },
    ],
  };
  return json.value(log, 2);
}

function ruleOf(id: string, explanations: Explanations, diagnostics: readonly Diagnostic[]): object {
  const { text, wrong, right } = explanations.get(id) ?? {};
  const level = diagnostics.find(({ code }) => code === id)?.severity ?? 'warning';
  const about = text ?? id;
  const examples =
    wrong === undefined || right === undefined
      ? []
      : [
          ['Wrong:', wrong],
          ['Right:', right],
        ];
  return {
    id,
    shortDescription: { text: /^.*?[.!?](?=\s|$)/su.exec(about)?.[0] ?? about },
    fullDescription: { text: about },
    help: {
      text: [about, ...examples.map((example) => example.join('\n'))].join('\n\n'),
      markdown: [about, ...examples.map(([what, code]) => `${what}\n\n\`\`\`yaml\n${code}\n\`\`\``)].join(
        '\n\n',
      ),
    },
    defaultConfiguration: { level },
  };
}

function invocationOf(failure: RunFailure | undefined): object {
  if (failure === undefined) return { executionSuccessful: true };
  return {
    executionSuccessful: false,
    exitCode: failure.status,
    toolExecutionNotifications: [{ level: 'error', message: { text: failure.message } }],
  };
}

function resultOf(diagnostic: Diagnostic, ruleIndex: number): object {
  const { code, severity, message, hint, span, related } = diagnostic;
  const { fixes } = jsonOf(diagnostic);
  const artifactLocation = locationOf(span.source.path);
  return {
    ruleId: code,
    ruleIndex,
    level: severity,
    message: { text: hint === undefined ? message : `${message} ${hint}` },
    locations: [{ physicalLocation: physicalOf(span) }],
    ...(related.length === 0
      ? {}
      : {
          relatedLocations: related.map((other, index) => ({
            id: index + 1,
            physicalLocation: physicalOf(other.span),
            message: { text: other.message },
          })),
        }),
    ...(fixes.length === 0
      ? {}
      : {
          fixes: fixes.map(({ safe, edits }) => ({
            description: { text: safe ? 'Fix' : 'Suggestion' },
            artifactChanges: [
              {
                artifactLocation,
                replacements: edits.map(({ text, ...range }) => ({
                  deletedRegion: regionOf(range),
                  insertedContent: { text },
                })),
              },
            ],
          })),
        }),
  };
}

function physicalOf(span: Span): object {
  return { artifactLocation: locationOf(span.source.path), region: regionOf(rangeOf(span)) };
}

function regionOf({ line, column, endLine, endColumn }: JsonRange): object {
  return { startLine: line, startColumn: column, endLine, endColumn };
}

/** Relative paths become relative URIs, so that services find the file in the repository. */
function locationOf(path: string): object {
  if (isAbsolute(path)) return { uri: pathToFileURL(path).href };
  return { uri: path.replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/') };
}
