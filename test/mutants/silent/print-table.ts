/**
 * Prints the table of all classes: `npx tsx test/mutants/silent/print-table.ts [part of a name]`; SILENT_MUTANTS=all tries every mutant.
 */
import { classes } from './classes.js';
import { maxMutants } from './max-mutants.js';
import { mutantsOf } from './run.js';

const part = process.argv[2];
const totals = { mutants: 0, silent: 0, newDiagnostics: 0, partly: 0, classes: 0 };
console.log('mutants  silent  several  class');
for (const one of classes.filter(({ name }) => part === undefined || name.includes(part))) {
  const mutants = mutantsOf(one, maxMutants);
  const silent = mutants.filter(({ newDiagnostics }) => newDiagnostics.length === 0).length;
  const several = mutants.filter(({ newDiagnostics }) => newDiagnostics.length > 1).length;
  const codes = new Map<string, number>();
  for (const { newDiagnostics } of mutants)
    for (const { severity, code } of newDiagnostics)
      codes.set(`${severity} ${code}`, (codes.get(`${severity} ${code}`) ?? 0) + 1);
  const list = [...codes].map(([code, count]) => `${code} ${count}`).join(', ');
  const numbers = [mutants.length, silent, several].map((count) => String(count).padStart(7)).join(' ');
  console.log(`${numbers}  ${one.name}${list === '' ? '' : `: ${list}`}`);
  totals.classes += 1;
  totals.mutants += mutants.length;
  totals.silent += silent;
  if (silent === 0 && mutants.length > 0) totals.newDiagnostics += 1;
  else if (silent < mutants.length) totals.partly += 1;
  if (part !== undefined) {
    const first = mutants.find(({ newDiagnostics }) => newDiagnostics.length === 0) ?? mutants[0];
    console.log(
      first?.text,
      first?.name,
      mutants
        .map(
          ({ name, newDiagnostics }) =>
            `${name}: ${newDiagnostics.map(({ message, hint = '' }) => `${message} ${hint}`).join(' | ')}`,
        )
        .join('\n'),
    );
  }
}
console.log(totals);
