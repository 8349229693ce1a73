import { pino, type Logger as PinoLogger, type LoggerOptions } from 'pino';
import { logLevels } from './configuration.js';
import { correlation, parseTraceparent } from './correlation.js';

export type Logger = PinoLogger;

/** The token that a logger is injected by. */
export const Logger = Symbol('Logger');

/**
 * JSON lines on standard output. Whatever could carry a secret is cut out before it is written. A line that is written
 * on behalf of a request has its `requestId`, and its `traceId` and `spanId` where there is a trace.
 */
export function createLogger(role: string, level = process.env['LOG_LEVEL'] || 'info'): Logger {
  // A disk that is full is no reason to end: lines wait up to a bound, and beyond it they are lost.
  const output = pino.destination({ dest: process.stdout.fd || 1, sync: true, maxLength: 1024 * 1024 });
  output.on('error', () => undefined);
  const options: LoggerOptions = {
    name: `atelier-${role}`,
    // The configuration refuses another one, in a line that a logger has to write.
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
