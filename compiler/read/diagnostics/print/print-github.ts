/** Prints diagnostics as workflow commands, which GitHub Actions shows next to the changed lines. */
import type { Diagnostic } from '../diagnostic.js';
import { rangeOf } from './print-json.js';
import { githubCommand } from '../../../notation/github-writer.js';
import type { Written } from '../../../notation/written.js';

/** Prints one line: `::error file=…,line=…,endLine=…,col=…,endColumn=…,title=…::message`. */
export function printGithub({ code, severity, message, hint, span, related }: Diagnostic): Written<'github'> {
  const { line, column, endLine, endColumn } = rangeOf(span);
  const properties = {
    file: span.source.path,
    line,
    endLine,
    col: column,
    // Include the end column only if the span ends on its first line.
    ...(line === endLine ? { endColumn } : {}),
    title: code,
  };
  const others = related
    .slice(0, maxRelated)
    .map((other) => `${other.span.source.path}:${rangeOf(other.span).line}: ${other.message}`);
  const text = [message, ...(hint === undefined ? [] : [hint]), ...others].join('\n');
  return githubCommand(severity, properties, text);
}

const maxRelated = 10;
