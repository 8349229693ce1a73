import { useState, type ReactNode } from 'react';
import { Facts, Json, JsonDetails, Loaded } from '../shared/ui.js';
import { api, type Schemas } from './api.js';

interface RowsParts {
  readonly job: string;
  /** A position of the log. Absent: the rows as they are now. */
  readonly position?: string;
  readonly label: string;
  /** The event that stands there. */
  readonly event?: object;
}

/** An event as stored, beside the rows of that moment. The rows are folded when they are requested. */
export function RowsThen({ label, event, ...asked }: RowsParts) {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="soft">{label}</summary>
      {open && (
        <div className="columns">
          {event && <Json of={event} />}
          <Rows {...asked} />
        </div>
      )}
    </details>
  );
}

function Rows({ job, position }: Pick<RowsParts, 'job' | 'position'>) {
  const params = { path: { job }, query: { position } };
  const query = api.useQuery('get', '/admin/v1/jobs/{job}/rows', { params });
  return (
    <Loaded query={query}>
      {({ models }) => (
        <div role="group" aria-label="Rows of the read models" className="rows">
          {models.map((model) => (
            <ModelRows key={model.name} model={model} />
          ))}
        </div>
      )}
    </Loaded>
  );
}

function ModelRows({
  model: { name, rows, parked },
}: {
  model: Schemas['JobsRowsResult']['models'][number];
}) {
  return (
    <>
      <h3>
        {name} {rows.length === 0 && <span className="soft">has no row</span>}
      </h3>
      {parked.length > 0 && (
        <p className="bad">It cannot take event {parked.map(({ revision }) => revision).join(', ')}.</p>
      )}
      {rows.map((row, place) => (
        <Facts key={place} of={Object.entries(row).map(([column, value]) => [column, shown(value)])} />
      ))}
    </>
  );
}

/** A document is shown as its content, and a missing value as nothing. */
const shown = (value: unknown): ReactNode =>
  typeof value === 'object' && value !== null ? (
    <JsonDetails of={value} label="show" />
  ) : (
    (value as ReactNode)
  );
