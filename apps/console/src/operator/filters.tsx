import { Button } from 'react-aria-components';
import { useSearchParams } from 'wouter';
import { count } from '../shared/format.js';
import { Select } from '../shared/ui.js';
import { api } from './api.js';

/** The filters are in the address: a list can be sent to somebody, and numbers elsewhere lead to theirs. */
export function useFilters(changed?: () => void) {
  const [filters, setFilters] = useSearchParams();
  const value = (name: string) => filters.get(name) ?? '';
  const change = (before: URLSearchParams, name: string, text: string) => {
    const next = new URLSearchParams(before);
    // Another list begins at its beginning.
    next.delete('offset');
    if (text === '') next.delete(name);
    else next.set(name, text);
    return next;
  };
  const set = (name: string) => (text: string) => {
    changed?.();
    setFilters((before) => change(before, name, text), { replace: true });
  };
  return { value, set, offset: Number(value('offset')) };
}

/** How long ago something was dispatched, in hours. */
export const ages = [
  ['', 'any time'],
  ['1', 'the last hour'],
  ['24', 'the last day'],
  ['168', 'the last week'],
] as const;

/** By the minute, so that it is asked for once and not at each drawing. */
export function sinceHours(text: string): string | undefined {
  const hours = Number(text);
  if (!(hours > 0)) return undefined;
  return new Date(Math.floor(Date.now() / 60_000) * 60_000 - hours * 3_600_000).toISOString();
}

interface PagesParts {
  readonly limit: number;
  readonly offset: number;
  readonly shown: number;
  readonly total: number;
  readonly go: (offset: string) => void;
}

export function Pages({ limit, offset, shown, total, go }: PagesParts) {
  if (total <= shown) return null;
  const to = (place: number) => () => go(place > 0 ? String(place) : '');
  return (
    <div className="more">
      <span>
        {count(offset + 1)} to {count(offset + shown)} of {count(total)}
      </span>
      <span className="actions">
        <Button className="button small" isDisabled={offset === 0} onPress={to(offset - limit)}>
          Newer
        </Button>
        <Button className="button small" isDisabled={offset + shown >= total} onPress={to(offset + limit)}>
          Older
        </Button>
      </span>
    </div>
  );
}

export function WorkflowSelect(field: { value: string; onChange: (value: string) => void }) {
  const { data } = api.useQuery('get', '/admin/v1/operations', {}, { staleTime: 600_000 });
  const names = [...new Set(data?.operations.map(({ name }) => name))].sort();
  const options = [['', 'any'] as const, ...names.map((name) => [name, name] as const)];
  return <Select label="Workflow" options={options} {...field} />;
}
