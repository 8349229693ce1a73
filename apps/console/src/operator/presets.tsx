import { count, Id, Status, Time } from '../shared/format.js';
import { Action, Loaded, Page, Section, Select, Table, textOf, TextField } from '../shared/ui.js';
import { api, change, client, done, type Schemas } from './api.js';
import {
  allEnvironments,
  environmentOf,
  environmentOptions,
  inWords,
  onlyOne,
  together,
  useEnvironment,
  type Together,
} from './environment.js';

const presetKinds = [
  ['model', 'a model'],
  ['background', 'a background'],
  ['shot', 'a shot'],
] as const;

/** The presets that tenants choose from, and the image models that draw them. */
export function PresetsPage() {
  const { env } = useEnvironment();
  const query = api.useQuery('get', '/admin/v1/presets', { params: { query: { env } } });
  const restore = async (form: FormData) => {
    await change(client.POST('/admin/v1/presets', { body: { env: environmentOf(form), all: true } }));
    return 'The presets of this release are published.';
  };
  return (
    <Page
      title="Presets and models"
      lead={`Models, backgrounds and shots that tenants choose from in ${env ?? 'live and test'}, and the image models`}
      actions={
        <>
          <PublishOne />
          <Action
            label="This release’s own"
            title="Publish this release’s own"
            confirm="Publish"
            small
            act={restore}
          >
            <p>
              This publishes all presets of this release, also the retired ones. Your own presets do not
              change.
            </p>
            <WhereToPublish />
          </Action>
        </>
      }
    >
      <Loaded query={query}>
        {({ presets }) => (
          <Table
            label="Presets"
            rows={together(presets, ({ id, status }) => `${id} ${status}`)}
            keyOf={({ id, envs }) => `${id} ${inWords(envs)}`}
            empty="No preset is published. Publish the presets of this release."
            columns={[
              { head: 'preset', cell: ({ id }) => <Id id={id} /> },
              { head: 'label', cell: ({ label }) => label },
              { head: 'is', cell: ({ kind }) => kind },
              { head: 'in', cell: ({ envs }) => inWords(envs) },
              { head: 'state', cell: ({ status }) => <Status of={status} /> },
              { head: 'published', cell: (each) => <Time at={each.published_at} /> },
              { head: 'change', cell: (each) => each.status === 'published' && <Retire preset={each} /> },
            ]}
          />
        )}
      </Loaded>
      <ImageModels />
    </Page>
  );
}

type Listed = Schemas['PresetsListResult']['presets'][number];
type Preset = Together<Listed>;

function WhereToPublish() {
  const { env } = useEnvironment();
  const there = env === undefined ? allEnvironments : [env];
  return <Select label="Environment" name="env" options={environmentOptions(there, true)} />;
}

function PublishOne() {
  const publish = async (form: FormData) => {
    const body = {
      env: environmentOf(form),
      label: textOf(form, 'label'),
      spec: recipeOf(form),
      kind: presetKinds.find(([kind]) => kind === form.get('kind'))?.[0],
      image: await imageOf(form),
    };
    await change(client.POST('/admin/v1/presets', { body }));
    return 'The preset is published.';
  };
  return (
    <Action label="Publish one" title="Publish a preset" confirm="Publish" small act={publish}>
      <div className="columns">
        <TextField label="Label for tenants" name="label" required />
        <Select label="What it is" name="kind" options={presetKinds} />
      </div>
      <WhereToPublish />
      <label className="field">
        <span>The recipe, as JSON</span>
        <textarea name="spec" rows={5} defaultValue="{}" spellCheck={false} required />
      </label>
      <label className="field">
        <span>Its tile, a JPEG</span>
        <input type="file" name="image" accept="image/jpeg" required />
      </label>
    </Action>
  );
}

function Retire({ preset: { id, envs, label } }: { preset: Preset }) {
  const retire = async (form: FormData) => {
    const asked = { params: { path: { id } }, body: { env: onlyOne(envs), reason: textOf(form, 'reason') } };
    await change(client.POST('/admin/v1/presets/{id}/retire', asked));
    return `${label} is retired.`;
  };
  return (
    <Action
      label="Retire"
      title={`Retire ${label} in ${inWords(envs)}`}
      confirm="Retire"
      danger
      small
      act={retire}
    >
      <p>Tenants can no longer order it. Jobs that were queued with it still render.</p>
      <TextField label="Why, for the record" name="reason" />
    </Action>
  );
}

/**
 * If the text is JSON but no object, the API reports the mistake. @throws a refusal of our own if it is no JSON
 */
function recipeOf(form: FormData): Record<string, never> {
  try {
    // Any object will do.
    return JSON.parse(textOf(form, 'spec') ?? '') as Record<string, never>;
  } catch {
    const message = 'The recipe is not JSON. Nothing was published.';
    throw Object.assign(new Error(message), { error: { code: 'VALIDATION_ERROR', message } });
  }
}

/** In base 64. */
async function imageOf(form: FormData): Promise<string> {
  const file = form.get('image');
  if (!(file instanceof File)) return '';
  const bytes = new Uint8Array(await file.arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

/** The image models that draw. A file declares them, so this page cannot change them. */
function ImageModels() {
  const query = api.useQuery('get', '/admin/v1/models', {}, { staleTime: 600_000 });
  const check = async () => {
    const { models } = await done(client.POST('/admin/v1/models/check', {}));
    return (
      <Table
        label="What was found"
        rows={models}
        keyOf={({ id }) => id}
        empty="No model is declared."
        columns={[
          { head: 'model', cell: ({ id }) => id },
          { head: 'state', cell: ({ ok }) => <Status of={ok ? 'done' : 'failed'} /> },
          { head: 'says', cell: ({ says }) => says },
        ]}
      />
    );
  };
  return (
    <Section
      title="Image models"
      lead="As ATELIER_MODELS_FILE declares them"
      actions={
        <Action label="Ask them" title="Ask each vendor" confirm="Ask" small wide act={check}>
          <p>Each vendor gets only requests that cost nothing, such as a check of its key.</p>
        </Action>
      }
    >
      <Loaded query={query}>
        {({ models, currency }) => (
          <Table
            label="Image models"
            rows={models}
            keyOf={({ id }) => id}
            empty="No model is declared."
            columns={[
              { head: 'model', cell: ({ id }) => id },
              { head: 'family', cell: ({ family }) => family },
              { head: 'vendor’s name', cell: ({ model }) => model },
              { head: 'draws', cell: ({ workflows }) => workflows?.join(', ') ?? 'everything' },
              {
                head: 'a picture',
                number: true,
                cell: ({ price_per_picture: price }) => (price === 0 ? 'free' : `${price} ${currency}`),
              },
              { head: 'at once', number: true, cell: ({ concurrency }) => count(concurrency) },
              { head: 'for test keys', cell: ({ test_keys: who }) => who },
              { head: 'fallback', cell: ({ fallback }) => fallback },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}
