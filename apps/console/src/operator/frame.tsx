import { useEffect, useRef, type FormEvent, type ReactNode } from 'react';
import { Button } from 'react-aria-components';
import { useLocation } from 'wouter';
import { Rail } from '../shared/frame.js';
import { textOf } from '../shared/ui.js';
import { logOut, useSession } from './api.js';
import { EnvironmentSwitch } from './environment.js';

const places = [
  ['/', 'Now'],
  ['/jobs', 'Jobs'],
  ['/pictures', 'Pictures'],
  ['/tenants', 'Tenants'],
  ['/grants', 'Approvals'],
  ['/prices', 'Prices'],
  ['/presets', 'Presets'],
  ['/costs', 'Costs'],
  ['/models', 'Read models'],
  ['/care', 'Repair'],
  ['/audit', 'Audit'],
  ['/actions', 'Actions'],
] as const;

/** Screens that the environment limits. The others show a single thing, or have a choice of their own. */
const limited = new Set<string>([
  '/',
  '/jobs',
  '/pictures',
  '/tenants',
  '/grants',
  '/prices',
  '/presets',
  '/costs',
  '/models',
  '/care',
  '/audit',
]);

/** The frame of every screen: navigation, the search for any id, and the environment. */
export function Frame({ children }: { children: ReactNode }) {
  const [location, go] = useLocation();
  const { data: who } = useSession();
  const search = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      const writing = (event.target as HTMLElement).closest('input, textarea, select, [role=dialog]');
      if (event.key !== '/' || writing) return;
      event.preventDefault();
      search.current?.focus();
    };
    document.addEventListener('keydown', focus);
    return () => document.removeEventListener('keydown', focus);
  }, []);
  const find = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const id = textOf(new FormData(event.currentTarget), 'id');
    if (id !== undefined) go(`/search/${encodeURIComponent(id)}`);
  };
  const isHere = (path: string) => (path === '/' ? location === '/' : location.startsWith(path));
  return (
    <div className="frame">
      <Rail places={places} isHere={isHere}>
        {who && (
          <span className="soft">
            {who.name}, {who.role}
          </span>
        )}
        <Button className="button small" onPress={() => void logOut()}>
          Log out
        </Button>
      </Rail>
      <div className="desk">
        <header className="bar">
          <form role="search" onSubmit={find}>
            <input
              ref={search}
              name="id"
              aria-label="Find a job by any id"
              placeholder="Any id: job, request, charge, picture, delivery, vendor’s (press /)"
              autoComplete="off"
              spellCheck={false}
            />
          </form>
          {limited.has(location) && <EnvironmentSwitch takesBoth={location !== '/costs'} />}
        </header>
        {children}
      </div>
    </div>
  );
}
