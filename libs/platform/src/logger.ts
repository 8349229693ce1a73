import { pino, type Logger } from 'pino';

export type { Logger };

/** JSON lines on standard output. Whatever could carry a secret is cut out before it is written. */
export function createLogger(role: string, level = process.env['LOG_LEVEL'] || 'info'): Logger {
  return pino({
    name: `atelier-${role}`,
    level,
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
  });
}
