import { useQueryClient } from '@tanstack/react-query';
import type { ListRow } from '@atelier/client';
import { useState } from 'react';
import { bytes, Id, many, Time } from '../shared/format.js';
import { Action, Loaded, Page, Problem, Table, useSay } from '../shared/ui.js';
import { limit, Turn } from './account.js';
import { answered, ownClient, useAsked } from './api.js';
import { useUpload } from './picture-input.js';

type Upload = ListRow<'/v1/uploads'>;

const dayMs = 86_400_000;

/** After how many days uploads are erased; null: never. */
const useKeptDays = () =>
  useAsked(['retention'], async (atelier) => (await atelier.get('/v1/retention')).uploads.days, {
    staleTime: 60_000,
  }).data ?? null;

export function UploadsPage() {
  const [offset, go] = useState(0);
  const keptDays = useKeptDays();
  const query = useAsked(['uploads', offset], (atelier) => atelier.get('/v1/uploads', { limit, offset }), {
    refetchInterval: 5_000,
  });
  const rule =
    keptDays === null ? 'They are kept without limit' : `They are kept for ${many(keptDays, 'day')}`;
  return (
    <Page title="Uploads" lead={`Your pictures for orders and products. ${rule}.`} actions={<Add />}>
      <Loaded query={query} lines={12}>
        {({ items, total }) => (
          <>
            <Table
              label="Uploads"
              rows={items}
              keyOf={({ asset_id }) => asset_id}
              empty="You have no uploads. Upload a JPEG, PNG or WebP here, or with POST /v1/uploads; its id then works in every field for a picture."
              columns={[
                { head: 'picture', cell: (upload) => <Picture of={upload} /> },
                { head: 'asset id', cell: ({ asset_id: id }) => <Id id={id} whole /> },
                { head: 'pixels', cell: ({ width, height }) => `${width} × ${height}` },
                { head: 'size', number: true, cell: ({ size_bytes: size }) => bytes(size) },
                { head: 'uploaded', cell: ({ created_at: at }) => <Time at={at} /> },
                { head: 'kept until', cell: (upload) => <End of={upload} keptDays={keptDays} /> },
                { head: 'erase', cell: (upload) => <Erase upload={upload} /> },
              ]}
            />
            <Turn {...{ offset, go, total, shown: items.length }} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Picture({ of: { asset_id: id, image_url: url, thumbnails } }: { of: Upload }) {
  return (
    <a href={url} target="_blank" rel="noreferrer" aria-label={`Open picture ${id}`}>
      <img className="thumb" src={thumbnails[256]} alt="" loading="lazy" />
    </a>
  );
}

/** The shorter of its own time and the account's rule. */
function End({
  of: { created_at: at, retain_days: own },
  keptDays,
}: {
  of: Upload;
  keptDays: number | null;
}) {
  const days = Math.min(own ?? Infinity, keptDays ?? Infinity);
  if (days === Infinity) return <span className="soft">no limit</span>;
  return <Time at={new Date(Date.parse(at) + days * dayMs).toISOString()} whole />;
}

function Erase({ upload: { asset_id: id } }: { upload: Upload }) {
  const queries = useQueryClient();
  const erase = async () => {
    await answered(ownClient().delete('/v1/uploads/{public_id}', { public_id: id }));
    await queries.invalidateQueries({ queryKey: ['uploads'] });
    return 'It is being erased, and leaves this list in a moment.';
  };
  return (
    <Action
      label="Erase"
      title="Erase this upload for good"
      confirm="Erase it for good"
      danger
      small
      act={erase}
    >
      <p>
        The picture is gone for good, and no order can use it any more. Pictures that were made from it stay.
        Your key needs the capability <code>data:erase</code>.
      </p>
    </Action>
  );
}

function Add() {
  const queries = useQueryClient();
  const say = useSay();
  const { state, upload } = useUpload((id) => {
    void queries.invalidateQueries({ queryKey: ['uploads'] });
    say(`Uploaded as ${id}.`);
  });
  return (
    <>
      <label className="button primary">
        <input
          type="file"
          className="hidden"
          accept="image/jpeg,image/png,image/webp"
          aria-label="Upload a picture"
          disabled={state.busy}
          onChange={(event) => void upload(event.target.files?.[0])}
        />
        {state.busy ? 'Uploading…' : 'Upload a picture'}
      </label>
      {state.error !== undefined && <Problem error={state.error} />}
    </>
  );
}
