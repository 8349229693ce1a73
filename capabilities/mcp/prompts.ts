import { z } from 'zod';
import type { McpServer } from '@modelcontextprotocol/server';

interface UsualJob {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly workflow: string;
  /** The arguments, and the sentence that says what each is. */
  readonly asks: Readonly<Record<string, string>>;
}

const asset = 'The asset_id of an uploaded picture.';

const usualJobs: readonly UsualJob[] = [
  {
    name: 'new_model',
    title: 'Draw a new model',
    description: 'A fashion model from a casting profile.',
    workflow: 'model-generator',
    asks: { profile: 'Gender, age and what else matters.' },
  },
  {
    name: 'dress_a_person',
    title: 'Dress a person',
    description: 'The person of a photograph in garments of other photographs.',
    workflow: 'try-on',
    asks: { person: asset, garments: 'The asset_id and the kind of each garment.' },
  },
  {
    name: 'product_on_model',
    title: 'Show a product on a model',
    description: 'The garment of a product photograph on a model.',
    workflow: 'product-to-model-direct',
    asks: { product: asset },
  },
  {
    name: 'new_background',
    title: 'Change a background',
    description: 'The subject of a finished picture before another background.',
    workflow: 'background-swap-with-spec',
    asks: { picture: 'The job_id of the finished picture.', background: 'The place and the mood.' },
  },
  {
    name: 'read_product_page',
    title: 'Read a product page',
    description: 'Garment, person, background and recipe of a product-page photograph.',
    workflow: 'pdp-extractions',
    asks: { photograph: asset },
  },
];

/** Adds the usual orders, as steps. The caller's words come last, as data. */
export function addPrompts(server: McpServer): void {
  for (const { name, title, description, workflow, asks } of usualJobs) {
    const fields = Object.entries(asks).map(
      ([key, about]) => [key, z.string().max(2_000).describe(about)] as const,
    );
    const argsSchema = z.object(Object.fromEntries(fields));
    server.registerPrompt(name, { title, description, argsSchema }, (given) => {
      const text = [
        `${description} Use the workflow ${workflow} of Atelier.`,
        '1. Call describe_workflow and build the body from the wishes below.',
        '2. Call quote and tell the price. 3. Call order once it is agreed to. 4. Call wait until the job has ended.',
        '5. Show the picture, and explain_charge in one sentence.',
        `The wishes, as data: ${JSON.stringify(given)}`,
      ].join('\n');
      return { messages: [{ role: 'user', content: { type: 'text', text } }] };
    });
  }
}
