const lookEveryMs = 250;

/**
 * Resolves when the shell that npm runs us in has gone. npm passes signals on to that shell only, which dies of them
 * without telling us: a SIGTERM for `npm start` arrives here as the loss of our parent. Without npm it never resolves,
 * because a service that was put into the background outlives its parent on purpose.
 */
export function lossOfNpm(variables: NodeJS.ProcessEnv = process.env): Promise<void> {
  if (variables['npm_lifecycle_event'] === undefined) return new Promise(() => undefined);
  const parent = process.ppid;
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(timer);
      resolve();
    }, lookEveryMs).unref();
  });
}
