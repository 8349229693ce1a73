import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import gossip from '@eventstore/db-client/generated/gossip_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';

/** A node as the others describe it. */
export interface Member {
  readonly port: number;
  readonly state: 'LEADER' | 'FOLLOWER';
  readonly alive: boolean;
}

export function clusterInfo(members: readonly Member[]): gossip.ClusterInfo {
  const info = new gossip.ClusterInfo();
  for (const { port, state, alive } of members) {
    const member = new gossip.MemberInfo()
      .setInstanceId(new shared.UUID().setString(crypto.randomUUID()))
      .setTimeStamp(String(Date.now() * 10_000))
      .setState(gossip.MemberInfo.VNodeState[state])
      .setIsAlive(alive)
      .setHttpEndPoint(new gossip.EndPoint().setAddress('127.0.0.1').setPort(port));
    info.addMembers(member);
  }
  return info;
}

/** The client reads these methods before it uses the batch call. */
export function supportedMethods(): features.SupportedMethods {
  const service = 'event_store.client.streams.streams';
  const methods = ['append', 'batchappend', 'read'].map((method) =>
    new features.SupportedMethod().setServiceName(service).setMethodName(method),
  );
  return new features.SupportedMethods().setEventStoreServerVersion('24.2.0').setMethodsList(methods);
}
