/** Caches database results by statement text, for compilations that cannot wait for a database. */
import type {
  AskedStatement,
  KnownTable,
  StatementDescriptions,
} from '../../analyze/operations/statements/statement-descriptions.js';
import type { Datasource } from '../../read/config/config-model.js';
import type { DescribeResult } from '../../read/sql/statement-description.js';

interface Databases {
  ask(
    datasources: readonly Datasource[],
    questions: () => readonly AskedStatement[],
  ): Promise<StatementDescriptions>;
}

export class ResultsCache implements Databases {
  #results: ReadonlyMap<string, DescribeResult> = new Map();
  /** Tables by datasource name. */
  #tables: ReadonlyMap<string, readonly KnownTable[]> = new Map();

  /** Wraps the databases and stores their results. */
  listenTo(databases: Databases): Databases {
    return {
      ask: async (datasources, questions) => {
        let asked: readonly AskedStatement[] = [];
        const results = await databases.ask(datasources, () => (asked = questions()));
        this.#results = new Map(
          asked.flatMap((one): [string, DescribeResult][] => {
            const result = results.of(one.statement)?.result;
            return result === undefined ? [] : [[keyOf(one), result]];
          }),
        );
        this.#tables = new Map(datasources.map((one) => [one.name.value, results.tables(one)]));
        return results;
      },
    };
  }

  ask(
    _datasources: readonly Datasource[],
    questions: () => readonly AskedStatement[],
  ): Promise<StatementDescriptions> {
    const known = new Map(
      (this.#results.size === 0 ? [] : questions()).flatMap((asked) => {
        const result = this.#results.get(keyOf(asked));
        return result === undefined ? [] : [[asked.statement, { asked, result }] as const];
      }),
    );
    return Promise.resolve({
      of: (statement) => known.get(statement),
      errors: [],
      unchecked: [],
      isWhole: () => false,
      tables: ({ name }) => this.#tables.get(name.value) ?? [],
      functionsOfOwner: () => [],
    });
  }
}

function keyOf({ datasource, text, orders }: AskedStatement): string {
  return JSON.stringify([datasource.name.value, text, orders]);
}
