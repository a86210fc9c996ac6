/** Loaded into a service under test: on SIGUSR2, it prints the heap size in bytes after garbage collection. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

process.on('SIGUSR2', () => {
  collect();
  console.log(`\nheap ${process.memoryUsage().heapUsed}`);
});
