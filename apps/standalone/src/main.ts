import '#platform/node-version.js';
import { once } from 'node:events';
import { complain, say, StartError, warn } from './console.js';
import { Standalone, loadSettings } from './standalone.js';

/** If the stop takes longer, the process ends without it. */
const stopWithinMs = 20_000;

const stopping = new AbortController();
process.on('SIGTERM', () => stopping.abort());
process.on('SIGINT', () => stopping.abort());
// If the parent process is killed, the roles must not outlive it.
process.on('disconnect', () => stopping.abort());

await run().catch((error: unknown) => {
  if (stopping.signal.aborted) return;
  process.exitCode = 1;
  if (error instanceof StartError) complain(error.message);
  else console.error(error);
});
// An open timer or socket must not keep the stopped service alive.
process.exit();

async function run(): Promise<void> {
  const { signal } = stopping;
  const standalone = await Standalone.start({ settings: loadSettings(), signal, warn, seedDemoTenant: true });
  announce(standalone);
  const stopRequested = signal.aborted ? undefined : once(signal, 'abort').then(() => undefined);
  const failure = await Promise.race([stopRequested, defect()]);
  const late = setTimeout(() => {
    complain('some processes did not stop in time');
    process.exit(1);
  }, stopWithinMs).unref();
  if (!failure) say('Stopping …');
  await standalone.stop();
  clearTimeout(late);
  if (failure) throw failure.error;
  say('Stopped.');
}

function announce({ baseUrl, adminUrl, demoKey, link, notes }: Standalone): void {
  say(`Atelier is ready.`);
  say(`  API   ${baseUrl}`);
  say(`  Docs  ${baseUrl}/docs`);
  if (link) {
    say(`  Try it in the browser: this link signs you in, once, within 15 minutes`);
    say(`  ${baseUrl}/console#link=${link.token}`);
  } else say(`  Try it in the browser  ${baseUrl}/console`);
  if (adminUrl) say(`  Console of operators  ${adminUrl}/console`);
  if (adminUrl) say(`  Operators  ${adminUrl}/admin/v1 (token: the file operator-token in ATELIER_HOME)`);
  if (demoKey) {
    say(
      `  A tenant to try it with, ${demoKey.tenant}, has ${demoKey.credits} test credits. Its key, shown only now:`,
    );
    say(`  ${demoKey.key}`);
  }
  for (const note of notes) say(note);
  say('Ctrl-C stops it.');
  // A process that started us as its child waits for this.
  process.send?.({ type: 'ready', baseUrl });
}

/** Resolves with a defect of our own. All roles are stopped in order before it is shown. */
function defect(): Promise<{ error: unknown }> {
  return new Promise((resolve) => {
    process.on('uncaughtException', (error) => resolve({ error }));
    process.on('unhandledRejection', (error) => resolve({ error }));
  });
}
