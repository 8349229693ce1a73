import { z } from 'zod';
import type { McpServer } from '@modelcontextprotocol/server';
import type { Agent } from './agent.js';
import { OwnRefusal, type Json } from './own-api.js';
import { longestPictureText, pictureForm } from './picture-form.js';
import { addTool, readOnly, resultOf, untrusted } from './results.js';

const verification = z.object({
  verdict: z
    .enum(['unchanged', 'changed', 'similar', 'unknown'])
    .describe('similar: it only looks like a picture of this service, which is no proof.'),
  looks_alike: z.boolean().nullable(),
  sha256: z.string(),
  origin: z.record(z.string(), z.unknown()).nullable().describe('Which job made it, and when.'),
  credentials: z
    .object({
      valid: z.boolean().describe('Whether the picture is what was signed, not whether to trust the signer.'),
      problems: z.array(z.string()),
      untrusted_text: z.record(z.string(), z.unknown()).describe(untrusted),
    })
    .nullable(),
});

/** The provenance capability answers; without it, the tool is refused. */
export function addVerifyTool(server: McpServer, { api, ...agent }: Agent): void {
  addTool(server, agent, 'verify_picture', {
    title: 'Verify a picture',
    description:
      'Whether this service made a picture, for which job, and whether it was changed since. Reads Content Credentials ' +
      '(C2PA) of others as well. Send the file or its SHA-256. Costs nothing, and the picture is not kept.',
    input: z.object({
      data_base64: z.base64().max(longestPictureText).optional().describe('The file, at most 3 MiB of it.'),
      sha256: z
        .string()
        .regex(/^[0-9a-fA-F]{64}$/)
        .optional()
        .describe('Of a file that is larger. It finds unchanged pictures only.'),
    }),
    output: verification,
    annotations: readOnly,
    async run({ data_base64: data, sha256 }) {
      if ((data === undefined) === (sha256 === undefined)) {
        const message = 'Send either data_base64 or sha256. Nothing was charged.';
        throw new OwnRefusal(422, 'VALIDATION_ERROR', message, undefined);
      }
      const sent = data === undefined ? { body: { sha256 } } : await pictureForm(Buffer.from(data, 'base64'));
      const { verdict, looks_alike, sha256: of, origin, credentials } = await api.post('/v1/verify', sent);
      return resultOf({ verdict, looks_alike, sha256: of, origin, credentials: told(credentials) });
    },
  });
}

/** The signer of a picture chose all texts in its credentials. */
function told(credentials: Json): z.infer<typeof verification>['credentials'] {
  if (credentials === null) return null;
  const { valid, problems, ...texts } = credentials;
  return { valid, problems, untrusted_text: texts };
}
