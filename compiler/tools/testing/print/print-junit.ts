/** Results as JUnit XML, which build servers read. */
import { position } from '../../../read/source.js';
import { callLines } from './print-steps.js';
import type { TestFailure, TestResult } from '../test-result.js';

export function printJunit(results: readonly TestResult[]): string {
  const files = [...new Set(results.map(({ file }) => file))];
  const suites = files.map((file) => {
    const own = results.filter((result) => result.file === file);
    const cases = own.map(({ test, failures, milliseconds }) => {
      const head = `    <testcase name=${attribute(test.name.value)} classname=${attribute(file.source.path)} time="${seconds(milliseconds)}"`;
      const [first] = failures;
      if (first === undefined) return `${head}/>`;
      const text = [...failures.map(failureText), ...callLines(first.traces), ...first.log].join('\n');
      return `${head}>\n      <failure message=${attribute(failureText(first))}>${escaped(text)}</failure>\n    </testcase>`;
    });
    return [
      `  <testsuite name=${attribute(file.source.path)} ${counts(own)}>`,
      ...cases,
      '  </testsuite>',
    ].join('\n');
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="apikiln test" ${counts(results)}>`,
    ...suites,
    '</testsuites>',
  ].join('\n');
}

function counts(results: readonly TestResult[]): string {
  const failed = results.filter(({ failures }) => failures.length > 0).length;
  const time = results.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
  return `tests="${results.length}" failures="${failed}" errors="0" skipped="0" time="${seconds(time)}"`;
}

function failureText({ span, path, message }: TestFailure): string {
  const { line, column } = position(span.source, span.start);
  return `${span.source.path}:${line}:${column} ${path === undefined ? '' : `${path}: `}${message}`;
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3);
}

function attribute(text: string): string {
  return `"${escaped(text).replaceAll('"', '&quot;').replaceAll('\n', '&#10;')}"`;
}

/** XML has no way to write control characters and halves of pairs. */
function escaped(text: string): string {
  return text
    .replaceAll(/[^\P{Cc}\n\r\t]|[\p{Cs}\ufffe\uffff]/gu, '�')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
