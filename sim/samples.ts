import type { Market } from './universe/market.js'
import type { Universe } from './universe/universe.js'
import type { Wallet } from './universe/wallet.js'

/** Things worth asking for, as `demo.json` names them. */
export type Samples = {
  wallet: string
  token_id: string
  condition_id: string
  market_slug: string
  event_slug: string
  builder: string
  tag: string
  /** One that exists, unless the universe has no combos yet. */
  combo_condition_id: string
  /** A game that is on, or else the next one; empty where no games are played. */
  game_slug: string
  league: string
  game_event_id: string
  game_market_id: string
}

const RECENT_MATCHES = 5_000
const NO_COMBO = `0x03${'0'.repeat(60)}`

/** A busy trader and the busiest market that stays open for a while. */
export function chooseSamples(universe: Universe): Samples {
  const market = busiestMarket(universe)
  return {
    wallet: busiestTrader(universe).address,
    token_id: market.tokens[0].decimal,
    condition_id: market.conditionId,
    market_slug: market.slug,
    event_slug: market.event.slug,
    builder: universe.builders[0]?.code ?? '',
    tag: market.event.tags[0]?.slug ?? '',
    combo_condition_id: universe.catalogue.combos()[0]?.conditionId ?? NO_COMBO,
    ...gameSamples(universe),
  }
}

/** The live game that lasts longest, or the next one that will be played. */
function gameSamples(universe: Universe) {
  const { nowMs, catalogue } = universe
  const played = universe.games().filter(({ fate }) => fate.kind === 'played')
  const live = played
    .filter((game) => universe.gameState(game).live)
    .sort((a, b) => b.endMs - a.endMs)
  const next = played.filter(({ startMs }) => startMs > nowMs).sort((a, b) => a.startMs - b.startMs)
  const game = live[0] ?? next[0]
  const event = game === undefined ? undefined : catalogue.eventBySlug(game.slug)
  return {
    game_slug: game?.slug ?? '',
    league: game?.league.code ?? '',
    game_event_id: event?.id ?? '',
    game_market_id: event?.markets[0]?.id ?? '',
  }
}

function busiestMarket({ settledActs, nowMs, catalogue }: Universe): Market {
  const counts = new Map<Market, number>()
  for (const { tx } of settledActs.matches.slice(-RECENT_MATCHES)) {
    const { of } = tx.act
    const lasts = of.kind === 'market' && of.event.window === undefined && of.endMs > nowMs
    if (lasts) counts.set(of, (counts.get(of) ?? 0) + 1)
  }
  return most(counts) ?? firstOf(catalogue.events()[0]?.markets ?? [])
}

/** The wallet that trades most, market makers left out. */
function busiestTrader({ settledActs, wallets }: Universe): Wallet {
  const counts = new Map<Wallet, number>()
  for (const { tx } of settledActs.matches.slice(-RECENT_MATCHES)) {
    const { wallet } = tx.act.taker.order
    if (wallet.character !== 'maker') counts.set(wallet, (counts.get(wallet) ?? 0) + 1)
  }
  return most(counts) ?? firstOf(wallets)
}

function most<T>(counts: ReadonlyMap<T, number>): T | undefined {
  let best: T | undefined
  for (const [item, count] of counts) {
    if (best === undefined || count > (counts.get(best) ?? 0)) best = item
  }
  return best
}

function firstOf<T>(items: readonly T[]): T {
  const [first] = items
  if (first === undefined) throw new RangeError('the universe is empty')
  return first
}
