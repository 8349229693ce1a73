import { DeadlineExceededError, NotLeaderError } from '@eventstore/db-client';
import { Metadata, status } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { NoAnswer, NotConnected } from '../calls.js';
import { classifyGrpcFailure } from './failures.js';

const grpc = (code: number, details: string, trailers: Record<string, string> = {}) => {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(trailers)) metadata.set(name, value);
  return Object.assign(new Error(`${code} ${details}`), { code, details, metadata });
};

describe('a failed call', () => {
  const leader = { 'leader-endpoint-host': 'node2', 'leader-endpoint-port': '2113' };

  it.each([
    ['there was no connection', new NotConnected('no connection within 5 ms')],
    ['it came to a follower', new NotLeaderError(grpc(status.NOT_FOUND, 'the leader is node2', leader))],
    ['the server has not looked at it', grpc(status.UNAVAILABLE, 'Server is too busy')],
  ])('did nothing when %s', (_, error) => expect(classifyGrpcFailure(error)).toBe('not-done'));

  it.each([
    ['no answer came', new NoAnswer('nothing within 5 ms')],
    // The words of the last attempt do not tell what became of the attempts before it.
    ['the time was up', new DeadlineExceededError(grpc(status.DEADLINE_EXCEEDED, 'Server is too busy'))],
    ['the connection broke', grpc(status.UNAVAILABLE, 'Connection dropped')],
  ])('may have done its work when %s', (_, error) => expect(classifyGrpcFailure(error)).toBe('unknown'));

  it.each([
    ['says no', grpc(status.PERMISSION_DENIED, 'Access Denied')],
    ['does not know the call', grpc(status.UNIMPLEMENTED, 'Unimplemented')],
    ['cannot use what it was given', grpc(status.INVALID_ARGUMENT, 'Invalid position')],
  ])('is refused for good when the server %s', (_, error) =>
    expect(classifyGrpcFailure(error)).toBe('refused'),
  );
});
