import type { Capability } from '../capability.js';
import { operatorFamily } from './operator.events.js';
import { readSignInSettings, type SignInSettings } from './sign-in.settings.js';

const events = [operatorFamily] as const;

/** Operators with roles, whom a token or the login of their organisation lets in (ADR 41, ADR 42). */
export const signIn: Capability<'sign-in', typeof events, SignInSettings> = {
  name: 'sign-in',
  events,
  settings: readSignInSettings,
  nouns: {
    operators: {
      about: "who may use the operator's API",
      calls: [() => import('./operators.calls.js')],
    },
  },
  folds: { operator: async () => (await import('./operator.fold.js')).operatorFold },
  signIn: {
    open: async () => {
      const { OperatorSignIn } = await import('./operator-sign-in.js');
      return (parts) => new OperatorSignIn(parts);
    },
    homeOperator: async () => (await import('./home-operator.js')).homeOperator,
    describe: async () => (await import('./describe-sign-in.js')).signInDescription,
  },
};
