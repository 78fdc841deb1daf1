import type { Context } from '../context.js'
import type { CreateProtocol } from './door.js'
import { EventProtocol } from './events/event-protocol.js'
import type { StreamHub } from './hub.js'
import { createPingProtocol } from './ping-protocol.js'

/** What clients of each socket speak. */
export const createProtocols =
  (ctx: Context, hub: StreamHub): CreateProtocol =>
  (connection, { socket }) =>
    socket === 'events' ? new EventProtocol(ctx, connection, hub) : createPingProtocol(connection)
