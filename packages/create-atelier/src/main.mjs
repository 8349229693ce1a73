#!/usr/bin/env node
// `npm create atelier FOLDER`: the folder of an installation, with secrets of its own.
import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

const usage = `npm create atelier [FOLDER]

Makes FOLDER (default: atelier), which must not exist or be empty, with all that Docker Compose needs to run
Atelier: docker-compose.yml, .env with fresh secrets, image models, and README.md with a first order.`;

const args = process.argv.slice(2);
if (args.includes('--help') || args.includes('-h')) {
  say(usage);
  process.exit();
}
if (args.length > 1 || args[0]?.startsWith('-')) refuse(`one folder is all that it takes.\n\n${usage}`);

const given = args[0] ?? 'atelier';
const folder = resolve(given);
const dist = join(import.meta.dirname, '..', 'dist');
const files = join(dist, 'files');
if (!existsSync(files)) refuse('the files of the installation are not built: run `node build.mjs` first');

try {
  mkdirSync(folder, { recursive: true });
  if (readdirSync(folder).length > 0)
    refuse(`${folder} is not empty: nothing was changed. Name a new folder, or empty this one`);
  await fill();
} catch (error) {
  const why = error.code === 'EEXIST' || error.code === 'ENOTDIR' ? 'is not a folder' : 'cannot be written';
  refuse(`${folder} ${why} (${error.message})`);
}
tellWhatIsNext();

async function fill() {
  const { newHomeCertificate, newSealKey } = await import(new URL('../dist/keys.js', import.meta.url).href);
  // First, because it holds secrets: a file of this name is never written over.
  const secrets = secretsOf(newHomeCertificate(), newSealKey());
  const example = readFileSync(join(files, 'deploy', 'env.example'), 'utf8');
  writeFileSync(join(folder, '.env'), filledIn(example, secrets), { mode: 0o600, flag: 'wx' });
  cpSync(files, folder, { recursive: true });
  writeFileSync(
    join(folder, '.gitignore'),
    '.env\ndeploy/vendors.env\ndeploy/keys/*\n!deploy/keys/README.md\n',
  );
  writeFileSync(join(folder, 'README.md'), readme());
}

function secretsOf(certificate, sealKey) {
  const oneLine = (pem) => pem.trim().replaceAll('\n', '\\n');
  // Passwords become parts of URLs: hexadecimal digits only.
  const secret = () => randomBytes(24).toString('hex');
  const key = certificate.indexOf('-----BEGIN PRIVATE KEY-----');
  return {
    POSTGRES_PASSWORD: secret(),
    EVENTSTORE_PASSWORD: secret(),
    S3_SECRET_ACCESS_KEY: secret(),
    ATELIER_SIGNING_KEY: secret(),
    ATELIER_MASTER_KEY: secret(),
    ATELIER_SEAL_KEY: oneLine(sealKey),
    ATELIER_PROVENANCE_CERT: oneLine(certificate.slice(0, key)),
    ATELIER_PROVENANCE_KEY: oneLine(certificate.slice(key)),
    ATELIER_MODELS_FILE: '/etc/atelier/models/models.yaml',
  };
}

/** The example with each value in its line, whether that is a comment there or not. */
function filledIn(example, values) {
  let text = example.replace(
    /^# Copy this to .*\n/,
    '# The settings and secrets of this installation. Keep a copy apart from the backups.\n',
  );
  for (const [name, value] of Object.entries(values)) {
    const line = new RegExp(`^#?${name}=.*$`, 'm');
    if (!line.test(text)) throw new Error(`deploy/env.example has no ${name}`);
    text = text.replace(line, () => `${name}=${value}`);
  }
  return text;
}

function imageOf() {
  const compose = readFileSync(join(files, 'docker-compose.yml'), 'utf8');
  return /^ {2}image: (atelier:\S+)$/m.exec(compose)[1];
}

function readme() {
  return readFileSync(join(dist, 'README.md'), 'utf8').replaceAll('IMAGE', imageOf());
}

function tellWhatIsNext() {
  const way = relative(process.cwd(), folder) || '.';
  say(`${folder} has an installation of Atelier, with secrets of its own in .env.

Next, with Docker:

  docker build --tag ${imageOf()} SOURCE      # SOURCE: a checkout of this release
  cd ${/^[\w./-]+$/.test(way) ? way : `'${way.replaceAll("'", `'\\''`)}'`} && docker compose up --detach --wait

README.md there goes on to the first picture.`);
}

function refuse(why) {
  process.stderr.write(`create-atelier: ${why}\n`);
  process.exit(1);
}

function say(text) {
  process.stdout.write(`${text}\n`);
}
