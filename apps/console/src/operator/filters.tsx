import { count } from '../shared/format.js';
import { Pages } from '../shared/filters.js';
import { Select } from '../shared/ui.js';
import { api } from './api.js';

interface OffsetPagesParts {
  readonly limit: number;
  readonly offset: number;
  readonly shown: number;
  readonly total: number;
  readonly go: (offset: string) => void;
}

export function OffsetPages({ limit, offset, shown, total, go }: OffsetPagesParts) {
  const to = (place: number) => () => go(place > 0 ? String(place) : '');
  return (
    <Pages
      newer={offset > 0 ? to(offset - limit) : undefined}
      older={offset + shown < total ? to(offset + limit) : undefined}
    >
      {count(offset + 1)} to {count(offset + shown)} of {count(total)}
    </Pages>
  );
}

export function WorkflowSelect(field: { value: string; onChange: (value: string) => void }) {
  const { data } = api.useQuery('get', '/admin/v1/operations', {}, { staleTime: 600_000 });
  const names = [...new Set(data?.operations.map(({ name }) => name))].sort();
  const options = [['', 'any'] as const, ...names.map((name) => [name, name] as const)];
  return <Select label="Workflow" options={options} {...field} />;
}
