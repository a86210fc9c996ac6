/** Tables with policies in the schema: reads that bypass the policies, and errors in them. */
import { databasesIn } from '../../analyze/operations/statements/databases.js';
import { hasContext } from '../../analyze/operations/statements/row-context.js';
import type { Datasource } from '../../read/config/config-model.js';
import type { KnownTable } from '../../analyze/operations/statements/statement-descriptions.js';
import { lastPart } from '../../read/sql/facts/server-names.js';
import { parseText } from '../../read/sql/parse/parse-text.js';
import type { SqlTree, Table } from '../../read/sql/parse/tree.js';
import type { ServiceView } from '../explain/service-view.js';
import { statementsOf, type AuditedStatement } from './audited-statements.js';
import type { Risk } from './risk.js';

export function policyRisks(view: ServiceView): Risk[] {
  const { config, descriptions } = view.analysis;
  const immutable = databasesIn(config.datasources).flatMap(([datasource]) =>
    datasource === undefined
      ? []
      : descriptions.tables(datasource).flatMap(({ name, policies }): Risk[] =>
          (policies?.immutable ?? []).map((called) => ({
            rule: 'immutable-policy',
            severity: 'high',
            span: datasource.name.span,
            message: `A policy of ${name} calls ${called}, which is declared IMMUTABLE: a cached plan can contain the value of another caller.`,
            hint: `Declare it STABLE: ALTER FUNCTION ${called} STABLE.`,
          })),
        ),
  );
  const statements = statementsOf(view);
  return [
    ...immutable,
    ...aroundPolicies(statements, view),
    ...statements.flatMap((audited) => functionsOfOwner(audited, view)),
  ];
}

function aroundPolicies(statements: readonly AuditedStatement[], { analysis }: ServiceView): Risk[] {
  const schemas = new Map<Datasource, PathsToPolicies>();
  return statements.flatMap((audited) => {
    const { datasource } = audited.step.checked;
    const schema = schemas.get(datasource) ?? new PathsToPolicies(analysis.descriptions.tables(datasource));
    schemas.set(datasource, schema);
    return aroundPoliciesIn(audited, schema);
  });
}

function aroundPoliciesIn({ statement, step }: AuditedStatement, schema: PathsToPolicies): Risk[] {
  const { datasource } = step.checked;
  const { pieces } = statement;
  const { tree } = pieces;
  return tablesIn(tree).flatMap((node): Risk | [] => {
    const [view, below] = schema.from(lastPart(tree, node.name));
    if (below === undefined) return [];
    if (!hasContext(datasource))
      return {
        rule: 'policies-without-context',
        severity: 'medium',
        span: pieces.spanOf(node),
        message: `${below.name} has policies, but '${datasource.name.value}' has no context for them.`,
        hint: 'Use a datasource with a context, unless the statement is intended for all rows.',
      };
    if (view === undefined) return [];
    return {
      rule: 'view-of-owner',
      severity: 'high',
      span: pieces.spanOf(node),
      message: `The view ${view.name} reads ${below.name} as its owner: the policies for the caller do not apply there.`,
      hint: `ALTER VIEW ${view.name} SET (security_invoker = true), since PostgreSQL 15.`,
    };
  });
}

/** Calls of functions that run with their owner's rights, to whom policies do not apply. */
function functionsOfOwner({ statement, step }: AuditedStatement, { analysis }: ServiceView): Risk[] {
  const { datasource } = step.checked;
  const names = new Set(analysis.descriptions.functionsOfOwner(datasource));
  if (!hasContext(datasource) || names.size === 0) return [];
  const { pieces } = statement;
  const { tree } = pieces;
  return tree.nodes.flatMap((node): Risk | [] => {
    const name = node.kind === 'call' ? lastPart(tree, node.name) : '';
    if (!names.has(name)) return [];
    return {
      rule: 'function-of-owner',
      severity: 'medium',
      span: pieces.spanOf(node),
      message: `${name} is SECURITY DEFINER: it sees and changes rows as its owner, to whom the policies for the caller do not apply.`,
      hint: 'Declare it SECURITY INVOKER, or let it compare the settings of the context itself.',
    };
  });
}

/** The first view on the path that reads with its owner's rights, and the table with policies; empty if there are none. */
type Path = readonly [view?: KnownTable | undefined, below?: KnownTable];

/** Caches the path of each view. */
class PathsToPolicies {
  readonly #tables: ReadonlyMap<string, KnownTable>;
  readonly #paths = new Map<string, Path>();

  constructor(tables: readonly KnownTable[]) {
    this.#tables = new Map(tables.map((table) => [table.name.toLowerCase(), table]));
  }

  from(name: string): Path {
    const known = this.#paths.get(name);
    if (known !== undefined) return known;
    // A recursive view does not add another path.
    this.#paths.set(name, []);
    const path = this.#read(name);
    this.#paths.set(name, path);
    return path;
  }

  #read(name: string): Path {
    const table = this.#tables.get(name);
    if (table?.policies !== undefined) return [undefined, table];
    if (table?.query === undefined) return [];
    const tree = parseText(table.query, 'postgresql');
    for (const node of tablesIn(tree)) {
      const [view, below] = this.from(lastPart(tree, node.name));
      if (below !== undefined) return [table.isOfOwner === true ? table : view, below];
    }
    return [];
  }
}

function tablesIn({ nodes }: SqlTree): Table[] {
  return nodes.filter((node) => node.kind === 'table');
}
