/** Runs one version of a service under `apikiln dev`: loads the shared packages, then the version that it gets as a message. */
const [, , shared] = process.argv;
// The service reads its own command line.
process.argv.length = 2;
process.setSourceMapsEnabled(true);
// The parent process has ended, so end as well.
process.on('disconnect', () => process.exit(0));
process.once('message', ({ main, environment }) => {
  // Timers belong to the newest version alone: what they have begun ends, and nothing ticks any more.
  process.on('message', async ({ timers }) => {
    const { schedule } = await import(timers);
    await schedule.stop();
  });
  Object.assign(process.env, environment);
  import(main).catch((error) => {
    console.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
    process.exit(1);
  });
});
await import(shared);
