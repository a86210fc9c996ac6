/** Prints the table of all classes: `npx tsx test/mutants/silent/print-table.ts [part of a name]`; SILENT_MUTANTS=all takes every mutant. */
import { classes } from './classes.js';
import { mostMutants } from './most-mutants.js';
import { mutantsOf } from './run.js';

const part = process.argv[2];
const totals = { mutants: 0, silent: 0, told: 0, partly: 0, classes: 0 };
console.log('mutants  silent  several  class');
for (const one of classes.filter(({ name }) => part === undefined || name.includes(part))) {
  const mutants = mutantsOf(one, mostMutants);
  const silent = mutants.filter(({ told }) => told.length === 0).length;
  const several = mutants.filter(({ told }) => told.length > 1).length;
  const codes = new Map<string, number>();
  for (const { told } of mutants)
    for (const { severity, code } of told)
      codes.set(`${severity} ${code}`, (codes.get(`${severity} ${code}`) ?? 0) + 1);
  const list = [...codes].map(([code, count]) => `${code} ${count}`).join(', ');
  const numbers = [mutants.length, silent, several].map((count) => String(count).padStart(7)).join(' ');
  console.log(`${numbers}  ${one.name}${list === '' ? '' : `: ${list}`}`);
  totals.classes += 1;
  totals.mutants += mutants.length;
  totals.silent += silent;
  if (silent === 0 && mutants.length > 0) totals.told += 1;
  else if (silent < mutants.length) totals.partly += 1;
  if (part !== undefined) {
    const first = mutants.find(({ told }) => told.length === 0) ?? mutants[0];
    console.log(
      first?.text,
      first?.name,
      mutants
        .map(
          ({ name, told }) =>
            `${name}: ${told.map(({ message, hint = '' }) => `${message} ${hint}`).join(' | ')}`,
        )
        .join('\n'),
    );
  }
}
console.log(totals);
