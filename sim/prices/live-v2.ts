import { Audience } from '../server/audience.js'
import type { HostParts } from '../server/handlers.js'
import type { Universe } from '../universe/universe.js'
import { LIVE_CHANNELS, livePayload } from './live-v2-channels.js'
import { type LiveV2Credentials, LiveV2Session } from './live-v2-session.js'

const PATH = '/ws'

/** The successor of the real-time data socket ("PolyBolt"). Without credentials any complete key is good. */
export function createLiveV2Host(universe: Universe, credentials?: LiveV2Credentials): HostParts {
  const publish = (atMs: number) => {
    for (const channel of LIVE_CHANNELS) {
      for (const [symbol, coin] of channel.coins) {
        let payload: object | undefined
        for (const session of sessions) {
          const source = session.providerOf(channel.name, symbol)
          if (source === undefined) continue
          payload ??= livePayload(universe, channel, symbol, coin, atMs)
          session.push(channel.name, atMs, { ...payload, source })
        }
      }
    }
  }
  const sessions = new Audience<LiveV2Session>(() => [universe.on('second', publish)])

  return {
    refuse: ({ path }) => (path === PATH ? undefined : { status: 404, body: { error: 'not found' } }),
    connect(peer) {
      const session = new LiveV2Session(universe, peer, credentials)
      sessions.add(session, peer)
      peer.onText((text) => session.onText(text))
    },
  }
}
