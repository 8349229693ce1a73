import { pino, type Logger as PinoLogger, type LoggerOptions } from 'pino';
import { logLevels } from './configuration.js';
import { correlation, parseTraceparent } from './correlation.js';

export type Logger = PinoLogger;

/** The token that a logger is injected by. */
export const Logger = Symbol('Logger');

/**
 * Writes JSON lines to standard output. Fields that could hold a secret are removed first. A line for a request
 * has its `requestId`; with a trace it also has `traceId` and `spanId`.
 */
export function createLogger(role: string, level = process.env['LOG_LEVEL'] || 'info'): Logger {
  // A full disk does not end the process. Lines wait up to a bound, and lines beyond it are lost.
  const output = pino.destination({ dest: process.stdout.fd || 1, sync: true, maxLength: 1024 * 1024 });
  output.on('error', () => undefined);
  const options: LoggerOptions = {
    name: `atelier-${role}`,
    // The configuration refuses any other level. A logger must still write that refusal.
    level: logLevels.includes(level) ? level : 'info',
    mixin: correlatedFields,
    redact: {
      paths: [
        'authorization',
        'password',
        'secret',
        'url',
        '*.authorization',
        '*.password',
        '*.secret',
        'req.headers',
        'headers',
      ],
      censor: '[redacted]',
    },
  };
  return pino(options, output);
}

function correlatedFields(): Record<string, string> {
  const { requestId, traceparent } = correlation();
  const trace = parseTraceparent(traceparent);
  return {
    ...(requestId === undefined ? {} : { requestId }),
    ...(trace ? { traceId: trace.traceId, spanId: trace.spanId } : {}),
  };
}
