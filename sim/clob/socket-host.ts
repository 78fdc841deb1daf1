import { Audience } from '../server/audience.js'
import type { HostParts, Peer } from '../server/handlers.js'
import type { MarketEvent, Token } from '../universe/market.js'
import type { Universe } from '../universe/universe.js'
import { Channel, Subscriber } from './channel.js'
import { type ClientMessage, parseClientMessage } from './client-message.js'
import { bookFrame, marketResolvedFrame, newMarketFrame } from './frames.js'

const PATH = '/ws/market'

/** The market socket of the exchange. */
export function createClobSocketHost(universe: Universe): HostParts {
  const desk = new Desk(universe)
  return {
    http: () => ({ status: 404, body: { error: 'not found' } }),
    refuse: ({ path }) => (path === PATH ? undefined : { status: 404, body: { error: 'not found' } }),
    connect: (peer) => desk.connect(peer),
  }
}

/** Who is connected and what they follow. One channel per market is shared by all its followers. */
class Desk {
  readonly #universe: Universe
  readonly #subscribers = new Audience<Subscriber>(() => this.#listen())
  readonly #channels = new Map<string, Channel>()

  constructor(universe: Universe) {
    this.#universe = universe
  }

  connect(peer: Peer): void {
    const subscriber = new Subscriber(peer)
    this.#subscribers.add(subscriber, peer)
    peer.onText((text) => {
      const message = parseClientMessage(text)
      if (message !== undefined) this.#onMessage(subscriber, message)
    })
    peer.onClose(() => this.#unsubscribe(subscriber, [...subscriber.tokens.keys()]))
  }

  #listen(): (() => void)[] {
    const universe = this.#universe
    return [
      universe.on('second', () => {
        for (const channel of this.#channels.values()) channel.refresh()
      }),
      universe.on('matched', (tx, match) => {
        this.#channels.get(match.of.conditionId)?.trade(tx, match)
      }),
      universe.on('created', (event) => this.#announceEvent(event)),
      universe.on('resolved', (market) => {
        const channel = this.#channels.get(market.conditionId)
        channel?.announce(JSON.stringify(marketResolvedFrame(universe, market)))
      }),
    ]
  }

  #onMessage(subscriber: Subscriber, message: ClientMessage): void {
    switch (message.kind) {
      case 'ping':
        subscriber.send('PONG')
        break
      case 'unsubscribe':
        this.#unsubscribe(subscriber, message.assetIds)
        break
      case 'subscribe': {
        // The settings count even when there is nothing new to subscribe to.
        const { custom, level, assetIds, dump } = message
        if (custom !== undefined) subscriber.custom = custom
        // The level is settled with the first tokens: books that are followed already cannot change it.
        if (subscriber.tokens.size === 0) subscriber.depth = level === 1 ? 'top' : 'full'
        this.#subscribe(subscriber, assetIds, dump)
      }
    }
  }

  #subscribe(subscriber: Subscriber, assetIds: string[], dump: boolean): void {
    const fresh = [...new Set(assetIds)].filter((id) => !subscriber.tokens.has(id))
    if (fresh.length === 0) {
      subscriber.send('NO NEW ASSETS')
      return
    }
    const books = fresh.flatMap((id) => {
      const token = this.#universe.catalogue.token(id)
      if (token === undefined) return []
      subscriber.tokens.set(id, token)
      const channel = this.#openChannel(token)
      channel.add(subscriber, token.outcome)
      return channel.book(token.outcome, subscriber.depth) ?? []
    })
    if (dump) subscriber.send(JSON.stringify(books.map(bookFrame)))
  }

  #openChannel({ of }: Token): Channel {
    const known = this.#channels.get(of.conditionId)
    if (known !== undefined) return known
    const channel = new Channel(this.#universe, of)
    this.#channels.set(of.conditionId, channel)
    return channel
  }

  #unsubscribe(subscriber: Subscriber, assetIds: string[]): void {
    for (const id of assetIds) {
      const token = subscriber.tokens.get(id)
      if (token === undefined) continue
      subscriber.tokens.delete(id)
      const { conditionId } = token.of
      const channel = this.#channels.get(conditionId)
      channel?.remove(subscriber, token.outcome)
      if (channel?.isEmpty) this.#channels.delete(conditionId)
    }
  }

  #announceEvent({ markets }: MarketEvent): void {
    const listeners = [...this.#subscribers].filter(({ custom }) => custom)
    if (listeners.length === 0) return
    for (const market of markets) {
      const text = JSON.stringify(newMarketFrame(market, this.#universe.nowMs))
      for (const listener of listeners) listener.send(text)
    }
  }
}
