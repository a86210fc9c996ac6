/** Compares manifests strictly with the JSON schemas of Kubernetes: an unknown field is an error, too. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { repository } from '../helpers/service-fixture.js';

/** A resource in a manifest. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly [field: string]: unknown;
}

interface Validate {
  (value: unknown): boolean;
  readonly errors: readonly unknown[] | null;
}

/** The prefixes of schema names for these groups. */
const groups: Readonly<Record<string, string>> = {
  v1: 'CoreV1',
  'apps/v1': 'AppsV1',
  'batch/v1': 'BatchV1',
  'autoscaling/v2': 'AutoscalingV2',
  'policy/v1': 'PolicyV1',
  'networking.k8s.io/v1': 'NetworkingV1',
};

const require = createRequire(import.meta.url);

/** The resources of a file; throws YAML errors. */
export function manifestsOf(text: string): Manifest[] {
  return parseAllDocuments(text, { version: '1.2', uniqueKeys: true }).map((document) => {
    const [problem] = [...document.errors, ...document.warnings];
    if (problem !== undefined) throw problem;
    return document.toJS() as Manifest;
  });
}

/** The problems of a resource; empty if it is valid. */
export function problemsOf(manifest: Manifest): unknown[] {
  const group = groups[manifest.apiVersion];
  const schema = join(
    repository,
    `node_modules/kubernetes-models/_schemas/IoK8sApi${group ?? ''}${manifest.kind}.js`,
  );
  if (group === undefined || !existsSync(schema))
    return [`no schema of ${manifest.apiVersion} ${manifest.kind}`];
  const { validate } = require(schema) as { validate: Validate };
  const unread = new Set<string>();
  validate(watched(manifest, '', unread));
  return [...(validate.errors ?? []), ...[...unread].map((path) => `nobody knows ${path}`)];
}

/** A copy of the value that removes accessed fields from `unread`: a schema accesses each field that it knows. */
function watched(value: unknown, path: string, unread: Set<string>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const copy: object = Array.isArray(value) ? [] : {};
  for (const [key, inner] of Object.entries(value)) {
    const below = `${path}/${key}`;
    unread.add(below);
    Reflect.set(copy, key, watched(inner, below, unread));
  }
  return new Proxy(copy, {
    get(target, key) {
      if (typeof key === 'string') unread.delete(`${path}/${key}`);
      return Reflect.get(target, key) as unknown;
    },
  });
}
