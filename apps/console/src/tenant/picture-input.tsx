import { useState, type DragEvent } from 'react';
import { Loaded, Empty, Problem } from '../shared/ui.js';
import { answered, ownClient, useAsked } from './api.js';
import { Tiles, usePicture, useShowPicture } from './choices.js';

interface PictureInputParts {
  readonly id: string;
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
  readonly described?: object;
}

/** Uploads a chosen, dropped or pasted file at once. The body gets its asset id. */
export function PictureInput({ id, label, value, onChange, described }: PictureInputParts) {
  const { state, setState, upload } = useUpload(onChange);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    void upload(event.dataTransfer.files[0]);
  };
  const over = (event: DragEvent) => {
    event.preventDefault();
    setState({ ...state, over: true });
  };
  return (
    <div className="picture-field">
      <div
        className={state.over ? 'drop over' : 'drop'}
        onDragOver={over}
        onDragLeave={() => setState({ ...state, over: false })}
        onDrop={drop}
      >
        <Chosen label={label} value={value} />
        <div className="how">
          <label className="button small">
            <input
              type="file"
              className="hidden"
              accept="image/jpeg,image/png,image/webp"
              aria-label={`Upload a picture: ${label}`}
              disabled={state.busy}
              onChange={(event) => void upload(event.target.files?.[0])}
            />
            {state.busy ? 'Uploading…' : 'Upload'}
          </label>
          <span className="soft">or drop one here, or an id:</span>
          <input
            id={id}
            {...described}
            className="mono"
            value={value ?? ''}
            onChange={(event) => onChange(event.target.value.trim() || undefined)}
            placeholder="01K9Z7J0V4M2…"
            autoComplete="off"
            spellCheck={false}
          />
        </div>
      </div>
      {state.error !== undefined && <Problem error={state.error} />}
      <Known id={id} label={label} value={value} onChange={onChange} />
    </div>
  );
}

/** @param onChange gets the asset id of the uploaded file */
export function useUpload(onChange: (assetId: string) => void) {
  const [state, setState] = useState<{ busy?: boolean; error?: unknown; over?: boolean }>({});
  const show = useShowPicture();
  const upload = async (file: File | undefined) => {
    if (!file) return setState({});
    setState({ busy: true });
    try {
      const uploaded = await answered(ownClient().upload(file));
      show(uploaded.asset_id, uploaded);
      onChange(uploaded.asset_id);
      setState({});
    } catch (error) {
      setState({ error });
    }
  };
  return { state, setState, upload };
}

function Chosen({ label, value }: Pick<PictureInputParts, 'label' | 'value'>) {
  const picture = usePicture(value);
  return picture.data ? (
    <img src={picture.data.thumbnails[256]} alt={`${label}, as chosen`} />
  ) : (
    <span className="no-picture" aria-hidden="true" />
  );
}

/** The tenant's newest pictures, loaded when the list opens. */
function Known({ id, label, value, onChange }: PictureInputParts) {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="soft">From your pictures</summary>
      {open && <KnownTiles {...{ id: `${id}-known`, label, value, onChange }} />}
    </details>
  );
}

function KnownTiles({ onChange, ...rest }: PictureInputParts) {
  const [chosen, setChosen] = useState<string>();
  const [error, setError] = useState<unknown>();
  const show = useShowPicture();
  const query = useAsked(['renders'], (atelier) => atelier.get('/v1/renders', { limit: 24 }), {
    staleTime: 60_000,
  });
  const choose = async (jobId: string | undefined) => {
    setChosen(jobId);
    if (jobId === undefined) return onChange(undefined);
    try {
      // Every field that takes a picture accepts an asset's id, but not every field accepts a job's id.
      const job = await answered(ownClient().get('/v1/jobs/{public_id}', { public_id: jobId }));
      const final = job.result?.artifacts.find(({ role }) => role === 'final');
      if (!final) return;
      show(final.asset_id, final);
      onChange(final.asset_id);
    } catch (refusal) {
      setError(refusal);
    }
  };
  return (
    <Loaded query={query} lines={2}>
      {({ items: renders }) =>
        renders.length === 0 ? (
          <Empty>You have no pictures yet: upload one, or order some.</Empty>
        ) : (
          <>
            <Tiles
              {...rest}
              value={chosen}
              onChange={(jobId) => void choose(jobId)}
              choices={renders.map(({ public_id, label, thumbnails }) => ({
                value: public_id,
                words: label,
                picture: thumbnails[256],
              }))}
            />
            {error !== undefined && <Problem error={error} />}
          </>
        )
      }
    </Loaded>
  );
}
