import { environments, type Environment } from '#domain/streams.js';
import { PresetRow } from '#projections/presets/presets.read-model.js';
import { PresetsReader } from '#projections/presets/presets.reader.js';
import { createDataSource } from '#read-store/data-source.js';
import { findConnections } from '../connections.js';
import { printJson, printTable } from '../output.js';
import type { OutputOptions } from '../verb.js';

export interface ListPresetsOptions extends OutputOptions {
  readonly env?: Environment;
}

/** Retired ones included. */
export async function listPresets({ env, json }: ListPresetsOptions): Promise<void> {
  const { databaseUrl } = findConnections();
  const presets = [];
  for (const environment of env ? [env] : environments) {
    const rows = await read(databaseUrl, environment);
    presets.push(...rows.map((row) => describe(environment, row)));
  }
  if (json) printJson({ presets });
  else
    printTable(
      ['preset', 'environment', 'kind', 'label', 'status', 'published', 'retired'],
      presets.map((each) => [
        ...[each.id, each.env, each.kind, each.label, each.status],
        each.published_at.toISOString(),
        each.retired_at?.toISOString(),
      ]),
    );
}

async function read(url: string, schema: Environment): Promise<PresetRow[]> {
  const dataSource = createDataSource({ url, schema, entities: [PresetRow], poolSize: 1 });
  await dataSource.initialize();
  try {
    return await new PresetsReader(dataSource).all();
  } finally {
    await dataSource.destroy();
  }
}

function describe(env: Environment, { presetId, kind, label, publishedAt, retiredAt }: PresetRow) {
  const status = retiredAt ? 'retired' : 'published';
  return { id: presetId, env, kind, label, status, published_at: publishedAt, retired_at: retiredAt };
}
