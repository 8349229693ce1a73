import { nameOf, type Alert, type KnownAlert } from './alert.js';

/** An event of an alert that operators are told. */
export type Told =
  | { readonly type: 'alert.firing'; readonly alert: KnownAlert; readonly isReminder: boolean }
  | { readonly type: 'alert.resolved'; readonly alert: KnownAlert };

/** The body of a message: `type`, `timestamp` and `data` as Standard Webhooks has them, and a line for people. */
export interface AlertMessage {
  readonly type: Told['type'] | 'alert.test';
  readonly timestamp: string;
  /** For people, in the field that chats show. */
  readonly text: string;
  /** The address of the API: which installation this is about. */
  readonly installation: string;
  readonly data: {
    /** The same for all messages about one alert, for example `live.queue`. */
    readonly alert: string;
    readonly what: string;
    readonly environment: string | null;
    readonly details: readonly string[];
    readonly since: string;
    /** True: it was told before, and still stands. */
    readonly reminder: boolean;
  };
}

export function messageOf(told: Told, installation: string, now: Date): AlertMessage {
  const { type, alert } = told;
  const isReminder = told.type === 'alert.firing' && told.isReminder;
  return {
    type,
    timestamp: now.toISOString(),
    text: `${installation}: ${lineOf(told)}`,
    installation,
    data: {
      alert: nameOf(alert),
      what: alert.what,
      environment: alert.env,
      details: alert.details,
      since: alert.since.toISOString(),
      reminder: isReminder,
    },
  };
}

export function testMessage(by: string, installation: string, now: Date): AlertMessage {
  const detail = `${by} tries whether alerts arrive`;
  const at = now.toISOString();
  return {
    type: 'alert.test',
    timestamp: at,
    text: `${installation}: ${detail}`,
    installation,
    data: {
      alert: 'all.test',
      what: 'test',
      environment: null,
      details: [detail],
      since: at,
      reminder: false,
    },
  };
}

function lineOf(told: Told): string {
  const { details, since } = told.alert;
  const what = `${placeOf(told.alert)}${details.join('; ')}`;
  if (told.type === 'alert.resolved') return `over, after it began at ${since.toISOString()}: ${what}`;
  return told.isReminder ? `still so since ${since.toISOString()}: ${what}` : what;
}

const placeOf = ({ env }: Alert) => (env === null ? '' : `${env}: `);
