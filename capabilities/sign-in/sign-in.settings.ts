import type { OperatorRole } from '#operator-calls/operator-role.js';
import type { SettingsReader } from '#platform/configuration.js';

/** The login of the organisation, by OpenID Connect. */
export interface OidcConfiguration {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string;
  /** The claim that holds the operator's name. */
  readonly nameClaim: string;
  /** The claim that holds the roles: one text, or several. */
  readonly roleClaim: string;
  /** Values of the claim, and the role that each gives; the first match counts. */
  readonly roles: readonly (readonly [value: string, role: OperatorRole])[];
}

/** How operators sign in. They stand beside the settings of the operators' server. */
export interface SignInSettings {
  readonly admin: {
    /** The address at which browsers reach the server; undefined: where it listens. */
    readonly publicUrl: string | undefined;
    readonly oidc: OidcConfiguration | undefined;
  };
}

export function readSignInSettings(settings: SettingsReader): SignInSettings {
  const publicUrl = settings.urlIfGiven('ATELIER_ADMIN_PUBLIC_URL', ['http', 'https'])?.replace(/\/+$/, '');
  return { admin: { publicUrl, oidc: readOidc(settings) } };
}

function readOidc(settings: SettingsReader): OidcConfiguration | undefined {
  const issuer = settings.urlIfGiven('ATELIER_OIDC_ISSUER', ['http', 'https']);
  const of = <T>(read: (fallback: string | undefined) => T) => read(issuer === undefined ? '' : undefined);
  const oidc = {
    clientId: of((fallback) => settings.text('ATELIER_OIDC_CLIENT_ID', fallback)),
    clientSecret: of((fallback) => settings.text('ATELIER_OIDC_CLIENT_SECRET', fallback)),
    scope: settings.text('ATELIER_OIDC_SCOPE', 'openid email profile'),
    nameClaim: settings.text('ATELIER_OIDC_NAME_CLAIM', 'email'),
    roleClaim: settings.text('ATELIER_OIDC_ROLE_CLAIM', 'groups'),
    roles: settings.parsed('ATELIER_OIDC_ROLES', parseRoles, []),
  };
  if (issuer === undefined) return undefined;
  const { hostname, protocol } = URL.canParse(issuer) ? new URL(issuer) : { hostname: '', protocol: '' };
  // The issuer's answers decide about roles, so its identity must be proven: TLS, or this machine.
  if (protocol === 'http:' && !['127.0.0.1', 'localhost', '[::1]'].includes(hostname))
    settings.problems.push('ATELIER_OIDC_ISSUER must begin with https://, unless it is on this machine');
  if (!settings.given('ATELIER_ADMIN_PUBLIC_URL'))
    settings.problems.push(
      'ATELIER_OIDC_ISSUER needs ATELIER_ADMIN_PUBLIC_URL, to which people return after they sign in',
    );
  return { issuer, ...oidc };
}

// A declaration loads no code, so the roles stand here a second time. The type proves that they are roles.
const roles: Readonly<Record<OperatorRole, true>> = { read: true, support: true, finance: true, admin: true };
const isRole = (text: string): text is OperatorRole => Object.hasOwn(roles, text);

const parseRoles = (text: string): [string, OperatorRole][] | string => {
  const pairs = text.split(',').flatMap((each): [string, OperatorRole][] => {
    const [, value = '', role = ''] = /^\s*(.+?)\s*=\s*(\w+)\s*$/.exec(each) ?? [];
    return isRole(role) ? [[value, role]] : [];
  });
  if (pairs.length === text.split(',').length) return pairs;
  return 'must be pairs such as atelier-admins=admin,shop-team=support';
};
