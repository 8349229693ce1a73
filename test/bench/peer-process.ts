import { Peer } from '../eventstoredb/peer/peer.js';

// The EventStoreDB peer in a process of its own, so that it does not share the bench's event loop.
const peer = await new Peer().start();
process.send?.({ type: 'ready', url: peer.url });
process.on('disconnect', () => process.exit(0));
process.on('SIGTERM', () => process.exit(0));
