import type { ComponentType, ReactNode } from 'react';
import { Link, Route, Switch } from 'wouter';
import icon from './icon.svg';
import { Empty, Page } from './ui.js';

interface RailParts {
  readonly places: readonly (readonly [path: string, name: string])[];
  readonly isHere: (path: string) => boolean;
  /** Shown below the places. */
  readonly children: ReactNode;
}

/** Where one can go. */
export function Rail({ places, isHere, children }: RailParts) {
  return (
    <div className="rail">
      <Link href="/" className="brand">
        <img src={icon} alt="" />
        Atelier
      </Link>
      <nav aria-label="Screens">
        {places.map(([path, name]) => (
          <Link key={path} href={path} aria-current={isHere(path) ? 'page' : undefined}>
            {name}
          </Link>
        ))}
      </nav>
      <div className="foot">{children}</div>
    </div>
  );
}

/** The screen of the address. */
export function Screens({ screens }: { screens: Readonly<Record<string, ComponentType>> }) {
  return (
    <Switch>
      {Object.entries(screens).map(([path, Screen]) => (
        <Route key={path} path={path} component={Screen} />
      ))}
      <Route>
        <Page title="Nothing here">
          <Empty>There is no such page. The menu lists all pages.</Empty>
        </Page>
      </Route>
    </Switch>
  );
}
