import { createContext, useContext, useState, type ReactNode } from 'react';
import { Radio, RadioGroup } from 'react-aria-components';
import type { Environment } from './api.js';

const place = 'environment';

interface Chosen {
  /** Undefined: both. */
  readonly env: Environment | undefined;
  /** For what would be confused side by side: live where both are chosen. */
  readonly one: Environment;
  readonly choose: (value: string) => void;
}

const EnvironmentContext = createContext<Chosen>({ env: undefined, one: 'live', choose: () => undefined });

/** The environment that lists are limited to: one choice for all screens, kept for the next visit. */
export const useEnvironment = () => useContext(EnvironmentContext);

const known = (value: string | null): Environment | undefined =>
  value === 'live' || value === 'test' ? value : undefined;

export function EnvironmentChoice({ children }: { children: ReactNode }) {
  const [env, setEnv] = useState(() => known(localStorage.getItem(place)));
  const choose = (value: string) => {
    localStorage.setItem(place, value);
    setEnv(known(value));
  };
  return <EnvironmentContext value={{ env, one: env ?? 'live', choose }}>{children}</EnvironmentContext>;
}

export function EnvironmentSwitch() {
  const { env, choose } = useEnvironment();
  return (
    <RadioGroup
      className="choice"
      aria-label="Environment"
      value={env ?? 'both'}
      onChange={choose}
      orientation="horizontal"
    >
      {['both', 'live', 'test'].map((each) => (
        <Radio key={each} value={each}>
          {each}
        </Radio>
      ))}
    </RadioGroup>
  );
}

export const environmentOptions = [
  ['live', 'live'],
  ['test', 'test'],
] as const;

/** Of a form's field `env`. */
export const environmentOf = (form: FormData): Environment | undefined => {
  const sent = form.get('env');
  return known(typeof sent === 'string' ? sent : null);
};
