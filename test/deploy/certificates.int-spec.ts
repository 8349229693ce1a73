import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { root } from './support/compose-file.js';

const nodes = ['eventstore-1', 'eventstore-2', 'eventstore-3'];

/**
 * Stands in for the vendor's program, which exists only in a container; it writes the files that it was called
 * for.
 */
const gencert = `#!/usr/bin/env bash
set -eu
command="$1"
arguments="$*"
while [ $# -gt 0 ]; do case "$1" in -out) out="$2"; shift;; esac; shift; done
mkdir -p "$out"
name=node; [ "$command" = create-node ] || name=ca
echo "$arguments" > "$out/$name.crt"
echo "key of $out" > "$out/$name.key"
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'atelier-certificates-'));
  for (const name of ['bin', 'ca', 'authority', ...nodes]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'bin', 'es-gencert-cli'), gencert, { mode: 0o755 });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function makeCertificates(): void {
  execFileSync('bash', [join(root, 'deploy', 'make-certificates.sh')], {
    env: {
      PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
      CERTIFICATES: folder,
      CERTIFICATES_OWNER: `${process.getuid?.()}:${process.getgid?.()}`,
    },
    stdio: 'pipe',
  });
}

const read = (...path: string[]) => readFileSync(join(folder, ...path), 'utf8');

describe('deploy/make-certificates.sh', () => {
  it('makes an authority, and a certificate for the name of each node', () => {
    makeCertificates();
    expect(read('ca', 'ca.crt')).toMatch(/^create-ca /);
    for (const node of nodes) {
      expect(read(node, 'node.crt')).toContain(`-dns-names ${node},localhost`);
      expect(read(node, 'node.key')).toContain(node);
      expect(statSync(join(folder, node, 'node.key')).mode & 0o077).toBe(0);
    }
  });

  it('shows the certificate of the authority to all, and its key to nobody else', () => {
    makeCertificates();
    expect(statSync(join(folder, 'ca', 'ca.crt')).mode & 0o777).toBe(0o644);
    expect(statSync(join(folder, 'authority', 'ca.key')).mode & 0o077).toBe(0);
    expect(() => statSync(join(folder, 'ca', 'ca.key'))).toThrow('ENOENT');
  });

  it('keeps what is there, and makes what is missing from the same authority', () => {
    makeCertificates();
    const before = [read('authority', 'ca.key'), read('eventstore-1', 'node.crt')];
    writeFileSync(
      join(folder, 'bin', 'es-gencert-cli'),
      gencert.replace('"$arguments"', '"again $arguments"'),
    );
    chmodSync(join(folder, 'bin', 'es-gencert-cli'), 0o755);
    for (const name of ['node.crt', 'node.key']) rmSync(join(folder, 'eventstore-2', name));
    makeCertificates();
    expect([read('authority', 'ca.key'), read('eventstore-1', 'node.crt')]).toEqual(before);
    expect(read('eventstore-2', 'node.crt')).toMatch(/^again create-node /);
  });
});
