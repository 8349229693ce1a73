import { z } from 'zod';
import type { McpServer } from '@modelcontextprotocol/server';
import { hasEnded, jobResult, shownJob } from './jobs-of-agents.js';
import type { Agent } from './agent.js';
import { OwnRefusal, type CallerApi, type Json } from './own-api.js';
import { addTool, id, readOnly, resultOf } from './results.js';

/** The longest part of a wait, in seconds: less than clients wait for a result. */
const longestWaitS = 45;
/** The longest that the API holds a timeline back for its next event. */
const longestPollS = 30;

export function addReadingTools(server: McpServer, agent: Agent): void {
  addWorkflowTools(server, agent);
  addJobTools(server, agent);
  addMoneyTools(server, agent);
}

const workflow = z.object({
  name: z.string(),
  summary: z.string(),
  credits: z.number().int().describe('The price of an order; for a batch, of each photograph.'),
  enabled: z.boolean(),
});

function addWorkflowTools(server: McpServer, agent: Agent): void {
  const { api } = agent;
  addTool(server, agent, 'list_workflows', {
    title: 'List workflows',
    description: 'The pictures that can be ordered, with their prices in credits. Costs nothing.',
    input: z.object({}),
    output: z.object({ workflows: z.array(workflow) }),
    annotations: readOnly,
    async run() {
      const [{ operations }, { paths }] = await Promise.all([api.get('/v1/operations'), api.description()]);
      const workflows = (operations as Json[]).map(({ name, credits_cost: credits, enabled }) => {
        return { name, summary: paths[`/v1/${name}`]?.post?.summary ?? '', credits, enabled };
      });
      return resultOf({ workflows });
    },
  });
  addTool(server, agent, 'describe_workflow', {
    title: 'Describe a workflow',
    description: 'The fields of an order of one workflow, as JSON Schema, with examples. Costs nothing.',
    input: z.object({ workflow: z.string().describe('A name from list_workflows.') }),
    output: z.object({
      name: z.string(),
      summary: z.string(),
      description: z.string(),
      body_schema: z.record(z.string(), z.unknown()),
      examples: z.array(z.record(z.string(), z.unknown())),
    }),
    annotations: readOnly,
    async run({ workflow: name }) {
      const description = await api.description();
      const { summary, description: about, requestBody } = workflowIn(description, name);
      const { schema, examples = {} } = requestBody.content['application/json'];
      const bodies = Object.values(examples as Record<string, Json>).map(({ value }): Json => value);
      const body_schema = withoutReferences(schema, description) as Record<string, unknown>;
      return resultOf({ name, summary, description: about, body_schema, examples: bodies });
    },
  });
}

/** @throws OwnRefusal if there is no such workflow */
export function workflowIn({ paths }: Json, name: string): Json {
  const path = `/v1/${name}`;
  const operation = Object.hasOwn(paths, path) ? paths[path].post : undefined;
  if (operation?.tags?.includes('workflows')) return operation;
  const message = 'There is no such workflow. Nothing was charged: list_workflows names them.';
  throw new OwnRefusal(404, 'RESOURCE_NOT_FOUND', message, undefined);
}

/** The schema with each reference replaced by its target. Bodies do not contain themselves. */
function withoutReferences(schema: Json, description: Json): Json {
  if (Array.isArray(schema)) return schema.map((each) => withoutReferences(each, description));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $ref, ...rest } = schema;
  const target = typeof $ref === 'string' ? description.components.schemas[$ref.split('/').at(-1)!] : {};
  return Object.fromEntries(
    Object.entries({ ...target, ...rest }).map(([key, value]) => [
      key,
      withoutReferences(value, description),
    ]),
  );
}

function addJobTools(server: McpServer, agent: Agent): void {
  const { api } = agent;
  const input = z.object({ job_id: id('The job.') });
  addTool(server, agent, 'job', {
    title: 'Show a job',
    description: 'The state of a job, and its pictures once it has succeeded. Costs nothing.',
    input,
    output: shownJob,
    annotations: readOnly,
    run: async ({ job_id }) => jobResult(await api.get(`/v1/jobs/${job_id}`)),
  });
  addTool(server, agent, 'wait', {
    title: 'Wait for a job',
    description:
      'Waits until a job has ended, for some seconds at most, and shows it. If it has not ended by then, call again. ' +
      'Costs nothing.',
    input: input.extend({
      seconds: z.number().int().min(1).max(longestWaitS).default(longestWaitS).describe('The longest wait.'),
    }),
    output: shownJob,
    annotations: readOnly,
    run: async ({ job_id, seconds }, { mcpReq: { signal } }) =>
      jobResult(await jobAfter(api, job_id, seconds, signal)),
  });
}

async function jobAfter(api: CallerApi, jobId: string, seconds: number, signal: AbortSignal): Promise<Json> {
  const end = performance.now() + seconds * 1_000;
  for (let since = 0; ;) {
    const job = await api.get(`/v1/jobs/${jobId}`);
    const left = Math.ceil((end - performance.now()) / 1_000);
    if (hasEnded(job) || left <= 0 || signal.aborted) return job;
    const wait = Math.min(left, longestPollS);
    ({ latest_seq: since } = await api.get(`/v1/jobs/${jobId}/events?since=${since}&wait=${wait}`));
  }
}

const states = ['reserved', 'charged', 'given_back'] as const;

const explanations: Readonly<Record<(typeof states)[number], string>> = {
  reserved:
    'The credits were deducted when the job was ordered. They stay deducted if it succeeds, and are given back if it fails.',
  charged: 'The job succeeded, so the credits that were deducted when it was ordered stay deducted.',
  given_back: 'The job failed or was cancelled, so its credits were given back in full.',
};

/** Rows of the ledger that are looked through for a charge: the last thousand. */
const [rowsAPage, pages] = [200, 5];

function addMoneyTools(server: McpServer, agent: Agent): void {
  const { api } = agent;
  addTool(server, agent, 'balance', {
    title: 'Show the balance',
    description: 'Credits left, the spend cap of the day and what is spent of it. Costs nothing.',
    input: z.object({}),
    output: z.object({
      balance: z.number().int(),
      daily_spend_today: z.number().int(),
      daily_spend_cap_credits: z.number().int().describe('0: no cap.'),
      is_active: z.boolean(),
    }),
    annotations: readOnly,
    async run() {
      const { balance, daily_spend_today, daily_spend_cap_credits, is_active } = await api.get('/v1/credits');
      return resultOf({ balance, daily_spend_today, daily_spend_cap_credits, is_active });
    },
  });
  addTool(server, agent, 'explain_charge', {
    title: 'Explain a charge',
    description: 'What a job cost, why, and where the ledger shows it. Costs nothing.',
    input: z.object({ job_id: id('The job.') }),
    output: z.object({
      job_id: z.string(),
      request_id: z.string().describe('The id of the row in the ledger and in the usage log.'),
      credits_cost: z.number().int(),
      state: z.enum(states),
      explanation: z.string(),
      ledger: z
        .object({ label: z.string(), credits_delta: z.number().int(), status: z.string() })
        .nullable()
        .describe('Null if the row is not among the last thousand.'),
    }),
    annotations: readOnly,
    async run({ job_id }) {
      const { request_id, credits_cost, status } = await api.get(`/v1/jobs/${job_id}`);
      const state = status === 'SUCCESS' ? 'charged' : status === 'FAILURE' ? 'given_back' : 'reserved';
      const ledger = await ledgerRow(api, request_id as string);
      return resultOf({
        job_id,
        request_id,
        credits_cost,
        state,
        explanation: explanations[state],
        ledger,
      });
    },
  });
}

async function ledgerRow(api: CallerApi, requestId: string): Promise<Json> {
  for (let page = 0; page < pages; page++) {
    const { items } = await api.get(`/v1/transactions?limit=${rowsAPage}&offset=${page * rowsAPage}`);
    const row = (items as Json[]).find(({ id: rowId }) => rowId === requestId);
    if (row) return { label: row.label, credits_delta: row.credits_delta, status: row.status };
    if (items.length < rowsAPage) return null;
  }
  return null;
}
