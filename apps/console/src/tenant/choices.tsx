import { useQueryClient } from '@tanstack/react-query';
import type { Atelier } from '@atelier/client';
import { Loaded } from '../shared/ui.js';
import { useAsked } from './api.js';

interface Choice {
  readonly value: string;
  readonly words: string;
  readonly picture?: string | undefined;
  /** Under which it stands in a long list. */
  readonly group?: string;
}

/** The values that a workflow can name, by list. Lists of pictures hold only the newest. */
const lists: Readonly<Record<string, (atelier: Atelier, workflow: string) => Promise<Choice[]>>> = {
  '/v1/presets?kind=model': presets('model'),
  '/v1/presets?kind=background': presets('background'),
  '/v1/presets?kind=shot': presets('shot'),
  '/v1/renders': async (atelier) =>
    (await atelier.get('/v1/renders', { limit: 24 })).items.map(({ public_id, label, thumbnails }) => ({
      value: public_id,
      words: label,
      picture: thumbnails[256],
    })),
  '/v1/catalog/backgrounds': async (atelier) =>
    (await atelier.get('/v1/catalog/{resource}', { resource: 'backgrounds', limit: 24 })).items.map(
      ({ public_id, label, thumbnails }) => ({ value: public_id, words: label, picture: thumbnails[256] }),
    ),
  '/v1/products': async (atelier) =>
    (await atelier.get('/v1/products', { limit: 24, status: 'active' })).items.map(
      ({ public_id, title, images }) => ({
        value: public_id,
        words: title,
        picture: images[0]?.thumbnails?.[256],
      }),
    ),
  '/v1/garment-categories': async (atelier) =>
    (await atelier.get('/v1/garment-categories', { limit: 200 })).items.map(
      ({ public_id, display_label, slot }) => ({
        value: public_id,
        words: display_label,
        group: slot.replaceAll('_', ' '),
      }),
    ),
  '/v1/image-models': async (atelier, workflow) =>
    (await atelier.get('/v1/image-models')).image_models
      .filter(({ workflows }) => workflows.includes(workflow))
      .map(({ id, usual_for }) => ({
        value: id,
        words: usual_for.includes(workflow) ? `${id} (usual)` : id,
      })),
};

function presets(kind: 'model' | 'background' | 'shot') {
  return async (atelier: Atelier) =>
    (await atelier.get('/v1/presets', { kind })).map(({ id, label, image_url }) => ({
      value: id,
      words: label,
      picture: image_url,
    }));
}

/** The first value of a list, for an example; undefined if the list is empty. */
export async function firstChoice(
  list: string,
  atelier: Atelier,
  workflow: string,
): Promise<string | undefined> {
  const choices = await lists[list]?.(atelier, workflow);
  return choices?.[0]?.value;
}

interface ChoicesParts {
  readonly list: string;
  readonly workflow: string;
  readonly id: string;
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
  readonly described?: object;
}

/** Values with a picture are chosen by their picture, the others by name. */
export function Choices({ list, workflow, id, label, value, onChange, described }: ChoicesParts) {
  const query = useAsked(
    ['choices', list, workflow],
    (atelier) => lists[list]?.(atelier, workflow) ?? Promise.resolve([]),
    {
      // URLs of pictures are good for minutes.
      staleTime: 60_000,
    },
  );
  return (
    <Loaded query={query} lines={2}>
      {(choices) => {
        if (choices.length === 0)
          return (
            <input
              {...{ id, ...described }}
              className="mono"
              value={value ?? ''}
              onChange={(event) => onChange(event.target.value.trim() || undefined)}
              placeholder="You have none yet. An id, such as 01K9Z7J0V4M2…"
              autoComplete="off"
              spellCheck={false}
            />
          );
        if (choices.some(({ picture }) => picture !== undefined))
          return <Tiles {...{ id, label, choices, value, onChange }} />;
        return (
          <select
            id={id}
            {...described}
            value={value ?? ''}
            onChange={(event) => onChange(event.target.value || undefined)}
          >
            <option value="">–</option>
            <Options choices={choices} value={value} />
          </select>
        );
      }}
    </Loaded>
  );
}

function Options({ choices, value }: { choices: Choice[]; value: string | undefined }) {
  const groups = [...new Set(choices.map(({ group }) => group))];
  const isKnown = value === undefined || choices.some((each) => each.value === value);
  const options = (of: string | undefined) =>
    choices
      .filter(({ group }) => group === of)
      .map(({ value, words }) => (
        <option key={value} value={value}>
          {words}
        </option>
      ));
  return (
    <>
      {!isKnown && <option value={value}>{value}</option>}
      {groups.map((group) =>
        group === undefined ? (
          options(group)
        ) : (
          <optgroup key={group} label={group}>
            {options(group)}
          </optgroup>
        ),
      )}
    </>
  );
}

interface TilesParts {
  readonly id: string;
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

export function Tiles({ id, label, choices, value, onChange }: TilesParts) {
  return (
    <div className="tiles-of-pictures" role="radiogroup" aria-label={label} id={id}>
      {choices.map(({ value: each, words, picture }) => (
        <label key={each} className="choose">
          <input
            type="radio"
            className="hidden"
            name={id}
            value={each}
            checked={value === each}
            // A second press undoes the choice. A radio button alone cannot do that.
            onClick={() => value === each && onChange(undefined)}
            onChange={() => onChange(each)}
          />
          <img src={picture} alt="" loading="lazy" />
          <span>{words}</span>
        </label>
      ))}
    </div>
  );
}

/** The URL of a body's picture. It is an upload, a job's picture, or a storage key, which ends in an id. */
export function usePicture(named: string | undefined) {
  const id = /([0-9A-HJKMNP-TV-Z]{26})(?:\.[a-z]+)?$/.exec(named ?? '')?.[1];
  return useAsked(
    ['picture', id],
    async (atelier, signal) => {
      if (id === undefined) return null;
      const upload = await atelier
        .get('/v1/uploads/{public_id}', { public_id: id, signal })
        .catch(() => null);
      if (upload) return upload;
      return atelier.get('/v1/renders/{public_id}', { public_id: id, signal }).catch(() => null);
    },
    { enabled: id !== undefined, staleTime: 300_000 },
  );
}

/** Caches a picture's URL, so that the page need not request it again. */
export function useShowPicture() {
  const queries = useQueryClient();
  return (id: string, shown: { image_url: string; thumbnails: { 256: string } }) =>
    queries.setQueryData(['picture', id], shown);
}
