import type { ReactNode } from 'react';
import { Button } from 'react-aria-components';
import { useSearchParams } from 'wouter';

/**
 * The filters are in the address. So a list can be sent to a colleague, and numbers on other pages can link to
 * it.
 */
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

/** Rounded to the minute, so that one request serves all renderings within it. */
export function sinceHours(text: string): string | undefined {
  const hours = Number(text);
  if (!(hours > 0)) return undefined;
  return new Date(Math.floor(Date.now() / 60_000) * 60_000 - hours * 3_600_000).toISOString();
}

interface PagesParts {
  /** The range of shown rows, and the number of all rows. */
  readonly children: ReactNode;
  /** Undefined: there is none in this direction. */
  readonly newer: (() => void) | undefined;
  readonly older: (() => void) | undefined;
}

export function Pages({ children, newer, older }: PagesParts) {
  if (!newer && !older) return null;
  return (
    <div className="more">
      <span>{children}</span>
      <span className="actions">
        <Button className="button small" isDisabled={!newer} onPress={newer}>
          Newer
        </Button>
        <Button className="button small" isDisabled={!older} onPress={older}>
          Older
        </Button>
      </span>
    </div>
  );
}
