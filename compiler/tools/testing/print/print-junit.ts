/** Results as JUnit XML, for build servers. */
import { xml } from '../../../notation/markup-writer.js';
import { joined, type Written } from '../../../notation/written.js';
import { position } from '../../../read/source.js';
import { callLines } from './print-steps.js';
import type { TestFailure, TestResult } from '../test-result.js';

export function printJunit(results: readonly TestResult[]): Written<'xml'> {
  const files = [...new Set(results.map(({ file }) => file))];
  const suites = files.map((file) => {
    const own = results.filter((result) => result.file === file);
    const cases = own.map(({ test, failures, milliseconds }) => {
      const head = xml`    <testcase name=${xml.attribute(test.name.value)} classname=${xml.attribute(file.source.path)} time=${xml.attribute(seconds(milliseconds))}`;
      const [first] = failures;
      if (first === undefined) return xml`${head}/>`;
      const text = [...failures.map(failureText), ...callLines(first.traces), ...first.log].join('\n');
      return xml`${head}>\n      <failure message=${xml.attribute(failureText(first))}>${xml.text(text)}</failure>\n    </testcase>`;
    });
    const head = xml`  <testsuite name=${xml.attribute(file.source.path)} ${counts(own)}>`;
    return joined([head, ...cases, xml`  </testsuite>`], '\n');
  });
  const head = xml`<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="apikiln test" ${counts(results)}>`;
  return joined([head, ...suites, xml`</testsuites>`], '\n');
}

function counts(results: readonly TestResult[]): Written<'xml'> {
  const failed = results.filter(({ failures }) => failures.length > 0).length;
  const time = results.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
  return xml`tests="${results.length}" failures="${failed}" errors="0" skipped="0" time=${xml.attribute(seconds(time))}`;
}

function failureText({ span, path, message }: TestFailure): string {
  const { line, column } = position(span.source, span.start);
  return `${span.source.path}:${line}:${column} ${path === undefined ? '' : `${path}: `}${message}`;
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3);
}
