import { z } from 'zod';
import type { McpServer } from '@modelcontextprotocol/server';
import type { Agent } from './agent.js';
import { jobResult, shownJob } from './jobs-of-agents.js';
import { longestPictureText, pictureForm } from './picture-form.js';
import { addTool, id, resultOf } from './results.js';

export function addWritingTools(server: McpServer, agent: Agent): void {
  const { api, publicUrl } = agent;
  addTool(server, agent, 'upload', {
    title: 'Upload a picture',
    description:
      'Stores a JPEG, PNG or WebP for orders. Without data, it gives an address and a token for one upload from ' +
      'elsewhere: POST the file there as the form field `file`. Costs nothing.',
    input: z.object({
      data_base64: z.base64().max(longestPictureText).optional().describe('The file, at most 3 MiB of it.'),
    }),
    output: z.object({
      asset_id: z
        .string()
        .nullable()
        .describe('Works in every picture field of an order. Null: not uploaded yet.'),
      upload: z
        .object({ url: z.string(), token: z.string(), expires_at: z.string(), example: z.string() })
        .nullable(),
    }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    async run({ data_base64: data }) {
      if (data !== undefined) {
        const form = await pictureForm(Buffer.from(data, 'base64'));
        const { asset_id } = await api.post('/v1/uploads', form);
        return resultOf({ asset_id, upload: null });
      }
      const { token, expires_at } = await api.post('/v1/client-tokens', { body: { purpose: 'upload' } });
      const url = `${publicUrl}/v1/uploads`;
      const example = `curl -H 'Authorization: Bearer ${token}' -F file=@picture.jpg ${url}`;
      return resultOf({ asset_id: null, upload: { url, token, expires_at, example } });
    },
  });
  addTool(server, agent, 'cancel', {
    title: 'Cancel a job',
    description: 'Ends a job that has not ended. Its credits are given back, and its picture is not made.',
    input: z.object({ job_id: id('The job.') }),
    output: shownJob,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    run: async ({ job_id }) => jobResult(await api.post(`/v1/jobs/${job_id}/cancel`)),
  });
}
