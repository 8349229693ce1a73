import { ApiError } from '../errors/api-error.js';

/**
 * The same for a key that is missing, malformed, unknown, revoked or retired, and for a signature that is missing or
 * wrong: the answer must not help a guesser.
 */
export function unauthenticated(): ApiError {
  return new ApiError(
    'UNAUTHENTICATED',
    'Send a valid API key in the header Authorization: Bearer <API_KEY>.',
    { headers: { 'www-authenticate': 'Bearer' } },
  );
}
