import { Audience } from '../server/audience.js'
import type { HostParts } from '../server/handlers.js'
import type { Universe } from '../universe/universe.js'
import { ActivityFeed } from './rtds-activity.js'
import { RtdsClient, type RtdsMessage } from './rtds-client.js'
import { commentMessages } from './rtds-comments.js'
import { chainlinkSnapshot, priceMessages } from './rtds-prices.js'
import { parseRequest, type RtdsRequest } from './rtds-request.js'

const DROP_SHARE = 0.03
const SILENT_AFTER_MS = 120_000

export type RtdsOptions = {
  /** Share of the price updates that never arrive. */
  dropShare?: number | undefined
  /** How long a client that sends no pings still gets data. Its socket stays open. */
  silentAfterMs?: number | undefined
}

/** The real-time data socket: coin prices once a second, a second late, trades as they are matched, and comments. */
export function createRtdsHost(universe: Universe, options: RtdsOptions = {}): HostParts {
  const { dropShare = DROP_SHARE, silentAfterMs = SILENT_AFTER_MS } = options
  let connections = 0

  const publish = (message: RtdsMessage) => {
    let text: string | undefined
    for (const client of clients) {
      if (!client.wants(message, universe.nowMs - silentAfterMs)) continue
      text ??= showFrame(message)
      client.peer.send(text)
    }
  }
  const clients = new Audience<RtdsClient>(() => {
    const activity = new ActivityFeed()
    return [
      universe.on('second', (atMs) => {
        for (const message of activity.take(atMs)) publish(message)
        for (const message of priceMessages(universe, atMs, dropShare)) publish(message)
        for (const message of commentMessages(universe, atMs)) publish(message)
      }),
      universe.on('matched', (tx, match) => activity.add(tx, match)),
      universe.on('block', (block) => activity.addMissing(block)),
      universe.on('reorg', () => activity.forgetAdded()),
    ]
  })

  return {
    refuse: ({ path }) => (path === '/' ? undefined : { status: 404, body: { error: 'not found' } }),
    connect(peer) {
      connections += 1
      const client = new RtdsClient(peer, `c${connections}`, universe.nowMs)
      clients.add(client, peer)
      peer.onText((text) => onFrame(universe, client, text))
    },
  }
}

function onFrame(universe: Universe, client: RtdsClient, text: string): void {
  if (text === 'PING' || text === 'ping') {
    client.ping(universe.nowMs)
    client.peer.send('')
    return
  }
  const request = parseRequest(text)
  if (request === undefined) client.refuse()
  else follow(universe, client, request)
}

function follow(universe: Universe, client: RtdsClient, request: RtdsRequest): void {
  for (const { topic, type, filters } of request.subscriptions) {
    if (request.action === 'unsubscribe') client.unsubscribe(topic, type)
    else {
      client.subscribe(topic, type, filters)
      const snapshot = chainlinkSnapshot(universe, topic, filters)
      if (snapshot !== undefined) client.peer.send(showFrame(snapshot, client.connectionId))
    }
  }
}

/** Frames that go to many clients leave the connection out, so that one text serves all. */
function showFrame(message: RtdsMessage, connectionId?: string): string {
  const { topic, type, timestamp, payload } = message
  return JSON.stringify({ connection_id: connectionId, topic, type, timestamp, payload })
}
