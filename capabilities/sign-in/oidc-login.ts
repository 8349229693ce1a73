import { LRUCache } from 'lru-cache';
import * as oidc from 'openid-client';
import { CallRefused } from '#operator-calls/call-refused.js';
import type { OperatorRole } from '#operator-calls/operator-role.js';
import { operatorNamePattern } from './operator-token.js';
import type { OidcConfiguration } from './sign-in.settings.js';

/** How long a person may take to log in at the organisation. */
const loginMs = 10 * 60_000;

/** The values that must fit when the person comes back. */
interface Begun {
  readonly verifier: string;
  readonly state: string;
  readonly nonce: string;
}

/** A person whom the organisation has let in. */
export interface LoggedIn {
  readonly name: string;
  /** Undefined if the organisation names none. */
  readonly role: OperatorRole | undefined;
}

/**
 * The login of an organisation: authorization code with PKCE, state and nonce. openid-client checks all of them, and the
 * signature of the ID token.
 */
export class OidcLogin {
  /**
   * Begun logins, by an id that the browser keeps in a cookie, so that no person finishes the login of another.
   */
  private readonly begun = new LRUCache<string, Begun>({ max: 20_000, ttl: loginMs });
  private provider: Promise<oidc.Configuration> | undefined;

  constructor(
    private readonly settings: OidcConfiguration,
    private readonly callbackUrl: string,
  ) {}

  /**
   * @returns the address to which the browser has to go, and the id that it has to keep
   * @throws CallRefused while the login does not answer
   */
  async begin(): Promise<{ readonly url: URL; readonly id: string; readonly keepForMs: number }> {
    const provider = await this.discovered();
    const begun = {
      verifier: oidc.randomPKCECodeVerifier(),
      state: oidc.randomState(),
      nonce: oidc.randomNonce(),
    };
    const id = oidc.randomState();
    this.begun.set(id, begun);
    const url = oidc.buildAuthorizationUrl(provider, {
      redirect_uri: this.callbackUrl,
      scope: this.settings.scope,
      code_challenge: await oidc.calculatePKCECodeChallenge(begun.verifier),
      code_challenge_method: 'S256',
      state: begun.state,
      nonce: begun.nonce,
    });
    return { url, id, keepForMs: loginMs };
  }

  /**
   * @param query the query with which the browser came back
   * @throws CallRefused, and what openid-client throws, for values that do not fit
   */
  async finish(id: string | undefined, query: string): Promise<LoggedIn> {
    const begun = id === undefined ? undefined : this.begun.get(id);
    if (id === undefined || !begun)
      throw new CallRefused('this login was not begun here, or was begun too long ago', 'UNAUTHENTICATED');
    // A code works only once.
    this.begun.delete(id);
    const provider = await this.discovered();
    const tokens = await oidc.authorizationCodeGrant(provider, new URL(`${this.callbackUrl}${query}`), {
      pkceCodeVerifier: begun.verifier,
      expectedState: begun.state,
      expectedNonce: begun.nonce,
      idTokenExpected: true,
    });
    let claims: Record<string, unknown> = tokens.claims() ?? {};
    const { nameClaim, roleClaim } = this.settings;
    // Many organisations give the other claims only at this endpoint.
    if (!(nameClaim in claims && roleClaim in claims) && provider.serverMetadata().userinfo_endpoint)
      claims = {
        ...(await oidc.fetchUserInfo(provider, tokens.access_token, String(claims['sub']))),
        ...claims,
      };
    return { name: this.nameOf(claims), role: this.roleOf(claims[roleClaim]) };
  }

  private nameOf(claims: Record<string, unknown>): string {
    const { nameClaim } = this.settings;
    const told = claims[nameClaim];
    const name = typeof told === 'string' ? told.toLowerCase() : '';
    if (!operatorNamePattern.test(name))
      throw new CallRefused(`the claim ${nameClaim} is not a valid name for an operator`, 'UNAUTHENTICATED');
    // A person who may enter any address in their account could take another person's name.
    if (nameClaim === 'email' && claims['email_verified'] !== true)
      throw new CallRefused('the organisation has not verified the email address', 'UNAUTHENTICATED');
    return name;
  }

  private roleOf(claim: unknown): OperatorRole | undefined {
    const told = Array.isArray(claim) ? claim : [claim];
    const [, role] = this.settings.roles.find(([value]) => told.includes(value)) ?? [];
    return role;
  }

  private async discovered(): Promise<oidc.Configuration> {
    const { issuer, clientId, clientSecret } = this.settings;
    // Without this, the library trusts the connection and checks no signature of an ID token.
    const execute = [oidc.enableNonRepudiationChecks];
    if (issuer.startsWith('http:')) execute.push(oidc.allowInsecureRequests);
    this.provider ??= oidc.discovery(
      ...([new URL(issuer), clientId, undefined, oidc.ClientSecretBasic(clientSecret), { execute }] as const),
    );
    try {
      return await this.provider;
    } catch (error) {
      // The next login tries again.
      this.provider = undefined;
      throw new CallRefused('the login of the organisation does not answer', 'SERVICE_UNAVAILABLE', {
        cause: error,
      });
    }
  }
}
