import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { jpegSize, type PresetDraft } from '#application/preset/manage-presets.handler.js';
import { presetKinds, type PresetKind } from '#domain/preset/preset.events.js';
import { presetTable } from '#domain/preset/preset-table.js';
import { errorCode } from '#platform/errors.js';
import { isId, newId } from '#platform/ids.js';
import { CallRefused } from '#operator-calls/call-refused.js';

/** A recipe is words and numbers; the preview is a tile. */
export const maxSpecBytes = 64 * 1024;
export const maxPreviewBytes = 5 * 1024 * 1024;

/**
 * Reads an operator's own preset from a JSON file: `{id?, kind, label, spec, image}`. `image` is the path of a
 * JPEG, relative to the folder of the file. Without an id, the preset is a new one.
 * @throws CallRefused that says what is wrong with the file
 */
export async function readPresetFile(path: string): Promise<PresetDraft> {
  const wrong = (problem: string) => new CallRefused(`${path}: ${problem}`);
  const { id = newId(), kind, label, spec, image, ...others } = await readJsonObject(path, wrong);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw wrong(`${unknown} is not a field of a preset`);
  if (typeof id !== 'string' || !isId(id)) throw wrong('id must be a ULID, or absent for a new preset');
  requireOwnId(id, wrong);
  if (!isKind(kind)) throw wrong(`kind must be one of ${presetKinds.join(', ')}`);
  if (typeof label !== 'string' || label.trim() === '' || label.length > 128) {
    throw wrong('label must be text of 1 to 128 characters');
  }
  if (!isObject(spec) || Buffer.byteLength(JSON.stringify(spec)) > maxSpecBytes) {
    throw wrong(`spec must be an object of at most ${maxSpecBytes} bytes`);
  }
  if (typeof image !== 'string') throw wrong('image must be the path of a JPEG');
  const preview = await readPreview(resolve(dirname(path), image), wrong);
  return { id, kind, label: label.trim(), spec, preview };
}

type Wrong = (problem: string) => CallRefused;

async function readJsonObject(path: string, wrong: Wrong): Promise<Record<string, unknown>> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw wrong(`cannot be read (${errorCode(error)})`);
  });
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    throw wrong('is not JSON');
  }
  throw wrong('must be a JSON object');
}

async function readPreview(path: string, wrong: Wrong): Promise<Buffer> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw wrong(`the image ${path} cannot be read (${errorCode(error)})`);
  });
  if (bytes.length > maxPreviewBytes) throw wrong(`the image is larger than ${maxPreviewBytes} bytes`);
  requireJpeg(bytes, `the image ${path}`, wrong);
  return bytes;
}

const plainly: Wrong = (problem) => new CallRefused(problem, 'VALIDATION_ERROR');

/** @throws the error that `wrong` makes */
export function requireOwnId(id: string, wrong = plainly): void {
  if (presetTable.some((row) => row.id === id))
    throw wrong(`${id} is a preset of this release: give yours an id of its own, or none`);
}

/** @throws the error that `wrong` makes */
export function requireJpeg(bytes: Buffer, what: string, wrong = plainly): void {
  try {
    jpegSize(bytes);
  } catch {
    throw wrong(`${what} is not a JPEG`);
  }
}

function isKind(value: unknown): value is PresetKind {
  return presetKinds.some((kind) => kind === value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
