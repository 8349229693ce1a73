import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfiguration, requireSigningKey } from '#platform/configuration.js';
import { Atelier } from '../standalone/support/atelier.js';
import { temporaryHome } from '../standalone/support/home.js';
import { untilEnd } from '../support/until-end.js';
import { composeText, readRepositoryFile, type ComposeFile } from './support/compose-file.js';

const run = promisify(execFile);
const place = mkdtempSync(join(tmpdir(), 'create-atelier-'));
untilEnd({ [Symbol.asyncDispose]: () => Promise.resolve(rmSync(place, { recursive: true })) });
const folder = join(place, 'mine');

/** As `npm create atelier` runs it: from the packed package, in an empty folder, without this repository's packages. */
const create = (...args: string[]) =>
  run(process.execPath, [join(place, 'package', 'src', 'main.mjs'), ...args], { cwd: place });

const refused = (...args: string[]) =>
  create(...args).then(
    () => ({ code: 0, stderr: '' }),
    (error: unknown) => error as { readonly code: number; readonly stderr: string },
  );

const text = (file: string, of = folder) => readFileSync(join(of, file), 'utf8');
const settings = () => parseEnv(text('.env')) as Record<string, string>;
const made = () => parse(text('docker-compose.yml'), { merge: true }) as ComposeFile;

/** A value of the Compose file with the variables of `.env`, the innermost first. */
function interpolated(value: string, variables: Readonly<Record<string, string>>): string {
  const next = value.replaceAll(
    /\$\{([A-Z0-9_]+)(?::([-?])([^${}]*))?\}/g,
    (_all, name: string, how, otherwise) => {
      const set = variables[name] ?? '';
      if (set === '' && how === '?') throw new Error(`${name}: ${otherwise}`);
      return set === '' && how === '-' ? String(otherwise) : set;
    },
  );
  return next === value ? value : interpolated(next, variables);
}

let told = '';

beforeAll(async () => {
  await run('npm', [
    'pack',
    '--silent',
    '--workspace',
    'packages/create-atelier',
    '--pack-destination',
    place,
  ]);
  const [packed = ''] = readdirSync(place);
  await run('tar', ['--extract', '--directory', place, '--file', join(place, packed)]);
  ({ stdout: told } = await create('mine'));
});

describe('npm create atelier', () => {
  it('says what to do next', () => {
    const { image } = made().services['api-1']!;
    expect(told).toContain(`docker build --tag ${image} SOURCE`);
    expect(told).toContain('cd mine && docker compose up --detach --wait');
    expect(text('README.md')).toContain(`docker build --tag ${image} SOURCE`);
  });

  it('makes secrets of its own, which only their owner may read', async () => {
    expect((statSync(join(folder, '.env')).mode & 0o777).toString(8)).toBe('600');
    await create('other');
    const other = parseEnv(text('.env', join(place, 'other')));
    const own = settings();
    const same = Object.keys(own).filter((name) => own[name] !== '' && own[name] === other[name]);
    expect(same.filter((name) => /PASSWORD|SECRET|_KEY$|CERT/.test(name))).toEqual([]);
    for (const [name, value] of Object.entries(own))
      if (/PASSWORD|SECRET|_KEY$/.test(name))
        expect([name, value.length]).toEqual([name, expect.toSatisfy((length: number) => length >= 32)]);
    expect(text('.gitignore').split('\n')).toContain('.env');
  });

  it('has the files of this repository, and the Compose file but for how the image is made', () => {
    for (const file of [
      'Caddyfile',
      'env.example',
      'make-certificates.sh',
      'models/models.yaml',
      'keys/README.md',
    ])
      expect(text(`deploy/${file}`)).toBe(readRepositoryFile(`deploy/${file}`));
    const ofTheImage =
      /^ {2}(?:build: \.|pull_policy: \w+|# (?:There is no registry|Built from the source).*)\n/gm;
    expect(text('docker-compose.yml').replaceAll(ofTheImage, '')).toBe(
      composeText.replaceAll(ofTheImage, ''),
    );
    for (const { build, image, ...service } of Object.values(made().services)) {
      expect(build).toBeUndefined();
      if (image.startsWith('atelier:')) expect(service).toMatchObject({ pull_policy: 'never' });
    }
  });

  it('has every file that a container mounts', () => {
    const mounts = Object.values(made().services).flatMap(({ volumes = [] }) =>
      volumes.flatMap((volume) =>
        typeof volume === 'string' && volume.startsWith('./') ? volume.split(':')[0]! : [],
      ),
    );
    expect(new Set(mounts)).toContain('./deploy/Caddyfile');
    expect(mounts.filter((path) => !existsSync(join(folder, path)))).toEqual([]);
  });

  it.each(['api-1', 'worker', 'projector', 'admin', 'operator', 'migrate'])(
    'gives settings with which %s starts',
    (name) => {
      const { environment = {} } = made().services[name]!;
      const given = Object.entries(environment).map(
        ([setting, value]) => [setting, interpolated(String(value), settings())] as const,
      );
      const known = Object.fromEntries(given);
      // A path in the container, of the folder that Compose mounts there.
      expect(known['ATELIER_MODELS_FILE']).toBe('/etc/atelier/models/models.yaml');
      const models = join(folder, 'deploy', 'models', 'models.yaml');
      const configuration = loadConfiguration({ ...known, ATELIER_MODELS_FILE: models });
      expect(() => requireSigningKey(configuration)).not.toThrow();
      expect(configuration.databaseUrl).toMatch(/^postgres:\/\/atelier:[0-9a-f]{48}@postgres:5432\/atelier$/);
    },
  );

  it.each([
    ['a folder with a file', 'full', 'is not empty: nothing was changed'],
    ['a file', 'full/note.txt', 'is not a folder'],
    ['an option', '--force', 'one folder is all that it takes'],
  ])('refuses %s', async (_what, target, why) => {
    mkdirSync(join(place, 'full'), { recursive: true });
    writeFileSync(join(place, 'full', 'note.txt'), 'mine');
    const { code, stderr } = await refused(target);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(why) as string });
    expect(readdirSync(join(place, 'full'))).toEqual(['note.txt']);
    expect(text('note.txt', join(place, 'full'))).toBe('mine');
  });

  it('fills an empty folder that is there', async () => {
    mkdirSync(join(place, 'empty'));
    await create('empty');
    expect(readdirSync(join(place, 'empty'))).toContain('docker-compose.yml');
  });
});

describe('a service with the secrets and models of the folder', () => {
  it('starts, and the first order of its README gives a signed picture', async () => {
    const env = settings();
    const names = ['SIGNING_KEY', 'MASTER_KEY', 'SEAL_KEY', 'PROVENANCE_CERT', 'PROVENANCE_KEY'];
    const secrets = Object.fromEntries(names.map((name) => [`ATELIER_${name}`, env[`ATELIER_${name}`]]));
    const home = untilEnd(temporaryHome());
    const models = join(folder, 'deploy', 'models', 'models.yaml');
    const atelier = await Atelier.start(home.path, { ...secrets, ATELIER_MODELS_FILE: models });
    untilEnd({ [Symbol.asyncDispose]: () => atelier.stop('SIGTERM').then(() => undefined) });
    const key = /\bsk_test_\w+/.exec(atelier.output().stdout)?.[0] ?? '';
    const [order = ''] = /(?<=```sh\n)curl [^`]+/.exec(text('README.md')) ?? [];
    const { stdout } = await run('sh', ['-c', order], {
      env: { PATH: process.env['PATH'], ATELIER_URL: atelier.baseUrl, ATELIER_KEY: key },
    });
    const { status, result } = JSON.parse(stdout) as {
      status: string;
      result: { artifacts: readonly { image_url: string }[] };
    };
    expect(status).toBe('SUCCESS');
    const picture = await fetch(result.artifacts[0]!.image_url);
    expect(picture.headers.get('content-type')).toMatch(/^image\//);
    const form = new FormData();
    form.set('file', await picture.blob(), 'picture.png');
    const headers = { authorization: `Bearer ${key}` };
    const verified = await fetch(`${atelier.baseUrl}/v1/verify`, { method: 'POST', headers, body: form });
    expect(await verified.json()).toMatchObject({ verdict: 'unchanged' });
  });
});
