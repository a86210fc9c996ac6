/** Loaded into a service under test: at SIGUSR2 it prints the bytes of its heap without garbage. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

process.on('SIGUSR2', () => {
  collect();
  console.log(`\nheap ${process.memoryUsage().heapUsed}`);
});
