/** OpenTelemetry's auto-instrumentation traces a generated service with the options listed in the reference. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RunningService } from '../helpers/running-service.js';
import { buildServices } from '../helpers/service-build.js';
import { repository } from '../helpers/service-fixture.js';
import { filesOf } from '../emit/compile-text.js';
import { ask, kinds, prepare, sharedServer } from '../service/services.js';
import { npmEnvironment } from './npm-environment.js';

interface Span {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly scope: string;
}

interface Export {
  readonly resourceSpans?: readonly {
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string };
      readonly spans: readonly Span[];
    }[];
  }[];
}

/** Numbers of span kinds. */
const [serverSpan, clientSpan] = [2, 3];

const folder = mkdtempSync(join(tmpdir(), 'apikiln-traces-'));
const spans: Span[] = [];
/** Trace headers received by the third party. */
const received: (string | undefined)[] = [];
let collector: Server;
let thirdParty: Server;
let folders: Map<string, string>;

function config(kind: string): object {
  return {
    specification: '1.0',
    operations: {
      'GET /traced/{tag}': {
        fulfillments: [
          {
            name: 'entry',
            type: 'READ',
            datasource: 'main',
            instructions: [{ query: 'SELECT id FROM entry WHERE tag = :[PARAM(tag)]' }],
          },
          {
            name: 'answer',
            type: 'READ',
            datasource: 'other',
            instructions: [{ request: { url: '/asked', httpType: 'GET' } }],
          },
        ],
        responses: [{ name: 'ok', default: true, statuscode: 200, schema: { answer: 'VALUE(answer, $.a)' } }],
      },
    },
    datasources: {
      main: { type: 'db', url: `jdbc:${kind}://localhost/x` },
      other: { type: 'rest', url: 'http://localhost' },
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
  return text;
}

async function listening(server: Server): Promise<Server> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  // Versions that also run on Node 20.
  const packages = ['@opentelemetry/api@1.9.1', '@opentelemetry/auto-instrumentations-node@0.75.0'];
  const quick = ['--no-audit', '--no-fund', '--prefer-offline', '--save-exact'];
  await promisify(execFile)('npm', ['install', ...quick, ...packages], { cwd: folder, env: npmEnvironment });
  folders = buildServices(
    'traces',
    await Promise.all(kinds.map(async (kind) => ({ name: kind, files: await filesOf(config(kind)) }))),
  );
  collector = await listening(
    createServer((request, response) => {
      void textOf(request).then((text) => {
        const { resourceSpans = [] } = JSON.parse(text) as Export;
        for (const { scope, spans: some } of resourceSpans.flatMap(({ scopeSpans }) => scopeSpans))
          spans.push(
            ...some.map((span) => ({
              ...span,
              scope: scope.name.replace('@opentelemetry/instrumentation-', ''),
            })),
          );
        response.setHeader('Content-Type', 'application/json').end('{}');
      });
    }),
  );
  thirdParty = await listening(
    createServer((request, response) => {
      received.push(request.headers['traceparent'] as string | undefined);
      response.setHeader('Content-Type', 'application/json').end('{"a": 1}');
    }),
  );
});

afterAll(() => {
  collector.close();
  thirdParty.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The options from the documentation, with the packages replaced by those in the temporary folder. */
function nodeOptions(): string {
  const readme = readFileSync(join(repository, 'docs/reference/service.md'), 'utf8');
  const [, options = ''] = /NODE_OPTIONS="([^"]+)"/.exec(readme) ?? [];
  const path = (below: string) => pathToFileURL(join(folder, 'node_modules/@opentelemetry', below)).href;
  return options
    .replace(
      '@opentelemetry/auto-instrumentations-node/register',
      path('auto-instrumentations-node/build/src/register.js'),
    )
    .replace('@opentelemetry/instrumentation/hook.mjs', path('instrumentation/hook.mjs'));
}

describe.each(kinds)('%s', (kind) => {
  test('a request is one trace: the statement and the call of the third party are children of the request', async () => {
    spans.length = 0;
    received.length = 0;
    const service = await RunningService.start(folders.get(kind) ?? '', {
      ...(await prepare(await sharedServer[kind](), kind, 'deployment_traces')),
      DATASOURCE_OTHER_URL: urlOf(thirdParty),
      NODE_OPTIONS: nodeOptions(),
      OTEL_EXPORTER_OTLP_ENDPOINT: urlOf(collector),
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_LOGS_EXPORTER: 'none',
      OTEL_NODE_RESOURCE_DETECTORS: 'none',
      OTEL_BSP_SCHEDULE_DELAY: '100',
    });
    try {
      expect((await ask(service.url, 'GET', '/traced/a')).body).toEqual({ answer: 1 });
      const isThere = (scope: string, ofKind: number) => (span: Span) =>
        span.scope === scope && span.kind === ofKind;
      const end = performance.now() + 20_000;
      while (!spans.some(isThere('http', serverSpan)) && performance.now() < end)
        await new Promise((resolve) => setTimeout(resolve, 50));
      const request = spans.find(isThere('http', serverSpan));
      expect(request?.name).toBe('GET /traced/{tag}');
      expect(request?.parentSpanId ?? '').toBe('');
      const children = spans.filter(({ parentSpanId }) => parentSpanId === request?.spanId);
      const database = kind === 'postgresql' ? 'pg' : 'mysql2';
      expect(children.filter(isThere(database, clientSpan))).not.toEqual([]);
      const calls = children.filter(isThere('http', clientSpan));
      expect(calls).toHaveLength(1);
      expect(received).toEqual([`00-${request?.traceId ?? ''}-${calls[0]?.spanId ?? ''}-01`]);
    } finally {
      expect(await service.stop()).toBe(0);
    }
  });
});
