/** What databases have said of statements, by their texts: for examinations that cannot wait for a database. */
import type { AskedStatement, KnownTable, StatementDescriptions } from '../analyze/statement-descriptions.js';
import type { Datasource } from '../config/config-model.js';
import type { DescribeResult } from '../sql/statement-description.js';

interface Databases {
  ask(
    datasources: readonly Datasource[],
    questions: () => readonly AskedStatement[],
  ): Promise<StatementDescriptions>;
}

export class RememberedAnswers implements Databases {
  #answers: ReadonlyMap<string, DescribeResult> = new Map();
  /** By the names of datasources. */
  #tables: ReadonlyMap<string, readonly KnownTable[]> = new Map();

  /** The databases, whose answers are remembered on the way. */
  listenTo(databases: Databases): Databases {
    return {
      ask: async (datasources, questions) => {
        let asked: readonly AskedStatement[] = [];
        const answers = await databases.ask(datasources, () => (asked = questions()));
        this.#answers = new Map(
          asked.flatMap((one): [string, DescribeResult][] => {
            const answer = answers.of(one.statement)?.answer;
            return answer === undefined ? [] : [[keyOf(one), answer]];
          }),
        );
        this.#tables = new Map(datasources.map((one) => [one.name.value, answers.tables(one)]));
        return answers;
      },
    };
  }

  ask(
    _datasources: readonly Datasource[],
    questions: () => readonly AskedStatement[],
  ): Promise<StatementDescriptions> {
    const known = new Map(
      (this.#answers.size === 0 ? [] : questions()).flatMap((asked) => {
        const answer = this.#answers.get(keyOf(asked));
        return answer === undefined ? [] : [[asked.statement, { asked, answer }] as const];
      }),
    );
    return Promise.resolve({
      of: (statement) => known.get(statement),
      faults: [],
      unchecked: [],
      isWhole: () => false,
      tables: ({ name }) => this.#tables.get(name.value) ?? [],
    });
  }
}

function keyOf({ datasource, text }: AskedStatement): string {
  return JSON.stringify([datasource.name.value, text]);
}
