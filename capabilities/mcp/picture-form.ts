/** The longest picture in a call, as base64. Larger pictures go to the upload's own address. */
export const longestPictureText = 4 * 1024 * 1024;

/** A picture as the one file of a form. */
export async function pictureForm(
  bytes: Buffer<ArrayBuffer>,
): Promise<{ payload: Buffer; headers: Readonly<Record<string, string>> }> {
  const form = new FormData();
  // No name of a file comes in: names are texts of others.
  form.append('file', new Blob([bytes]), 'picture');
  const encoded = new Response(form);
  const headers = { 'content-type': encoded.headers.get('content-type') ?? '' };
  return { payload: Buffer.from(await encoded.arrayBuffer()), headers };
}
