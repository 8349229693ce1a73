import { createContext, useContext, useState, type ReactNode } from 'react';
import { Radio, RadioGroup } from 'react-aria-components';
import { useFilters } from '../shared/filters.js';
import type { Environment } from './api.js';

const place = 'environment';

interface Chosen {
  /** Undefined: both. */
  readonly env: Environment | undefined;
  readonly choose: (value: string) => void;
}

const EnvironmentContext = createContext<Chosen>({ env: undefined, choose: () => undefined });

/** The environment of all lists. It is one choice for all screens, and is kept for the next visit. */
export const useEnvironment = () => useContext(EnvironmentContext);

const known = (value: string | null): Environment | undefined =>
  value === 'live' || value === 'test' ? value : undefined;

export function EnvironmentChoice({ children }: { children: ReactNode }) {
  const [env, setEnv] = useState(() => known(localStorage.getItem(place)));
  const choose = (value: string) => {
    localStorage.setItem(place, value);
    setEnv(known(value));
  };
  return <EnvironmentContext value={{ env, choose }}>{children}</EnvironmentContext>;
}

/** @param takesBoth false where sums of money are shown, because sales in test must not count as live */
export function EnvironmentSwitch({ takesBoth }: { takesBoth: boolean }) {
  const { env, choose } = useEnvironment();
  const offered = takesBoth ? ['both', ...allEnvironments] : allEnvironments;
  return (
    <RadioGroup
      className="choice"
      aria-label="Environment"
      value={env ?? offered[0] ?? null}
      onChange={choose}
      orientation="horizontal"
    >
      {offered.map((each) => (
        <Radio key={each} value={each}>
          {each}
        </Radio>
      ))}
    </RadioGroup>
  );
}

/** The environments to choose from, and both at once if there are two and the form takes both. */
export function environmentOptions(there: readonly Environment[], takesBoth = false) {
  const each = there.map((env) => [env, env] as const);
  return takesBoth && there.length > 1 ? [['', 'both'] as const, ...each] : each;
}

export const allEnvironments: readonly Environment[] = ['live', 'test'];

/** `live and test`, of rows that say the same. */
export const inWords = (envs: readonly Environment[]) => envs.join(' and ');

/** The call's parameter for a choice: the single environment, or undefined for both. */
export const onlyOne = ([first, second]: readonly Environment[]) =>
  second === undefined ? first : undefined;

/** A tenant has an account in each environment. */
export interface AccountParts {
  readonly tenant: string;
  readonly env: Environment;
}

/** The account that a page about one account shows. A tenant need not have one in each environment. */
export function useAccountChoice(accounts: readonly { readonly environment: Environment }[]) {
  const { env: preferred } = useEnvironment();
  const { value, set } = useFilters();
  const there = accounts.map(({ environment }) => environment);
  const wanted = [value('env'), preferred].find((each) => there.some((env) => env === each));
  const env = there.find((each) => each === wanted) ?? there[0] ?? 'live';
  return { env, there, value, set };
}

/** A row of one environment, or of both if their rows are equal. */
export type Together<Row> = Omit<Row, 'env'> & { readonly envs: readonly Environment[] };

/** Rows whose `key` is the same in both environments become one. */
export function together<Row extends { readonly env: Environment }>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): Together<Row>[] {
  const found = new Map<string, Together<Row>>();
  for (const row of rows) {
    const { env, ...rest } = row;
    const key = keyOf(row);
    found.set(key, { ...rest, envs: [...(found.get(key)?.envs ?? []), env] });
  }
  return [...found.values()];
}

/** The value of a form's field `env`. */
export const environmentOf = (form: FormData): Environment | undefined => {
  const sent = form.get('env');
  return known(typeof sent === 'string' ? sent : null);
};
