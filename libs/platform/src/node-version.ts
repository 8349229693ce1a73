/*
 * Every program imports this before anything else. So a Node that is too old is refused with a clear sentence,
 * and not with a missing function in the middle of the work.
 */
const oldestMajor = 22;

const [major = 0] = process.version.slice(1).split('.').map(Number);
if (major < oldestMajor) {
  process.stderr.write(
    `Atelier runs on Node ${oldestMajor} or newer, and this is ${process.version}. "npm run" and "npm start" use the Node 24 of the package.\n`,
  );
  process.exit(1);
}
