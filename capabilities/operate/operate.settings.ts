import type { SettingsReader } from '#platform/configuration.js';

export interface NightlyAuditSettings {
  /** Minutes after midnight, UTC. Undefined: the ledger is audited only when an operator asks. */
  readonly minute: number | undefined;
  /** The heap of the process that audits. */
  readonly memoryMb: number;
}

export interface AlertSettings {
  /** Where alerts go. Empty: nowhere. They may hold secrets, so no log, table or bundle for support has them. */
  readonly secretUrls: readonly string[];
  /** `whsec_` and base64. Undefined only if there is no URL. */
  readonly secret: string | undefined;
  /** How long a reason must stand before it is told. */
  readonly afterMs: number;
}

type AuditTime = Pick<NightlyAuditSettings, 'minute'>;
type AlertSecret = Pick<AlertSettings, 'secret'>;

export interface OperateSettings {
  readonly nightlyAudit: NightlyAuditSettings;
  readonly alerts: AlertSettings;
}

const usualTime: AuditTime = { minute: 3 * 60 };
const noSecret: AlertSecret = { secret: undefined };

export function readOperateSettings(settings: SettingsReader): OperateSettings {
  const { secretUrls } = settings.parsed('ATELIER_ALERT_URLS', parseUrls, { secretUrls: [] });
  const { secret } = settings.parsed('ATELIER_ALERT_SECRET', parseSecret, noSecret);
  if (secretUrls.length > 0 && !settings.given('ATELIER_ALERT_SECRET'))
    settings.problems.push(
      'ATELIER_ALERT_SECRET is not set: it signs what is sent to ATELIER_ALERT_URLS. Make it with "echo whsec_$(openssl rand -base64 32)"',
    );
  return {
    nightlyAudit: {
      minute: settings.parsed('ATELIER_AUDIT_AT', parseTime, usualTime).minute,
      memoryMb: settings.integer('ATELIER_AUDIT_MEMORY_MB', 256, 64, 65_536),
    },
    alerts: {
      secretUrls,
      secret,
      afterMs: settings.integer('ATELIER_ALERT_AFTER_MS', 120_000, 0, 3_600_000),
    },
  };
}

function parseTime(text: string): AuditTime | string {
  if (text === 'off') return { minute: undefined };
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hours === undefined) return `must be a time in UTC such as 03:00, or off; not "${text}"`;
  return { minute: Number(hours) * 60 + Number(minutes) };
}

/** The most addresses, so that one round of messages ends soon. */
const mostUrls = 10;

/** Complaints do not repeat an address, which may hold a secret. */
function parseUrls(text: string): { readonly secretUrls: readonly string[] } | string {
  const urls = [...new Set(text.split(',').map((each) => each.trim()))];
  if (urls.length > mostUrls) return `must be at most ${mostUrls} addresses`;
  const wrong = urls.findIndex((each) => !isCallable(each));
  if (wrong === -1) return { secretUrls: urls };
  return `must be http:// or https:// addresses without name, password and fragment, with commas between them; number ${wrong + 1} is not`;
}

function isCallable(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.hash;
}

/** Standard Webhooks wants from 24 to 64 bytes. */
function parseSecret(text: string): AlertSecret | string {
  const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.toString('base64') === base64 && bytes.length >= 24 && bytes.length <= 64)
    return { secret: text };
  return 'must be whsec_ and 24 to 64 random bytes in base64: "echo whsec_$(openssl rand -base64 32)" makes one';
}
