import sharp from 'sharp';

/** A plain grey picture: it shows no garment, so a job on it fails at once and is refunded. */
export async function blankPicture(): Promise<Buffer> {
  return sharp({ create: { width: 200, height: 200, channels: 3, background: '#eee' } })
    .png()
    .toBuffer();
}

interface Uploaded {
  /** Its storage key. */
  readonly upload_key: string;
  readonly asset_id: string;
  readonly image_url: string;
  readonly thumbnails: Readonly<Record<string, string>>;
}

/** @param fields further fields of the form, before the file */
export async function uploadBlank(
  url: string,
  key: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<Uploaded> {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  body.append('file', new Blob([new Uint8Array(await blankPicture())], { type: 'image/png' }), 'blank.png');
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${url}/v1/uploads`, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as Uploaded;
}
