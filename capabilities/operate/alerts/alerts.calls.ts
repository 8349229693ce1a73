import { CallRefused } from '#operator-calls/call-refused.js';
import { defineCall } from '#operator-calls/call.js';
import { NoInput } from '#operator-calls/input.js';
import { printTable } from '#operator-calls/output.js';
import { systemClock } from '#platform/clock.js';
import { newId } from '#platform/ids.js';
import { testMessage } from './alert-message.js';
import { callChannel, channelsOf, complaintOf } from './channel.js';

/** Calls each address once, from the process that also sends the alerts. */
export const testAlerts = defineCall({
  name: 'alerts test',
  route: 'POST /alerts/test',
  may: ['support'],
  summary: 'Send a message to each address that alerts go to, and show what it answered',
  input: NoInput,
  async run(operator, _input, { signal }) {
    const { alerts, publicUrl } = operator.configuration;
    const { secret } = alerts;
    if (secret === undefined || alerts.secretUrls.length === 0)
      throw new CallRefused(
        'no address is set, so nothing was sent: set ATELIER_ALERT_URLS and ATELIER_ALERT_SECRET for the operators’ API (docs/alerts.md)',
        'VALIDATION_ERROR',
      );
    const at = systemClock();
    const messageId = newId();
    const body = JSON.stringify(testMessage(operator.name, publicUrl, at));
    const answers = channelsOf(alerts).map(async (channel) => {
      const outcome = await callChannel(channel, { messageId, body }, { secret, at, signal });
      const error = complaintOf(outcome) ?? null;
      return { host: channel.host, delivered: error === null, error };
    });
    return { message_id: messageId, channels: await Promise.all(answers) };
  },
  summarise: ({ channels }) =>
    `${channels.filter(({ delivered }) => delivered).length} of ${channels.length} addresses took it`,
  print: ({ channels }) =>
    printTable(channels, {
      host: ({ host }) => host,
      '': ({ delivered }) => (delivered ? 'delivered' : 'FAILED'),
      because: ({ error }) => error,
    }),
  failed: ({ channels }) => channels.some(({ delivered }) => !delivered),
});
