import type { Combo, Market } from './universe/market.js'
import type { SettledMatch } from './universe/settled-acts.js'
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
  /** One with trades, holders and redemptions, unless the universe is too young. */
  combo_condition_id: string
  /** One that traded it, and redeemed it if a wallet did. */
  combo_wallet: string
  /** A game that is on, or else the next one; empty where no games are played. */
  game_slug: string
  league: string
  game_event_id: string
  game_market_id: string
  /** The series of a league's games; empty where no games are played. */
  series_id: string
}

const RECENT_MATCHES = 5_000
const NO_COMBO = `0x03${'0'.repeat(60)}`

/** A busy trader and the busiest market that stays open for a while. */
export function chooseSamples(universe: Universe): Samples {
  const market = busiestMarket(universe)
  const combo = busiestCombo(universe)
  const trader = busiestTrader(universe)
  return {
    wallet: trader.address,
    token_id: market.tokens[0].decimal,
    condition_id: market.conditionId,
    market_slug: market.slug,
    event_slug: market.event.slug,
    builder: universe.builders[0]?.code ?? '',
    tag: market.event.tags[0]?.slug ?? '',
    combo_condition_id: combo?.conditionId ?? NO_COMBO,
    combo_wallet: (comboTrader(universe, combo) ?? trader).address,
    ...gameSamples(universe),
  }
}

/** The live game that lasts longest, or the next one that will be played. */
function gameSamples(universe: Universe) {
  const { nowMs, catalogue } = universe
  const played = universe.games().filter(({ fate }) => fate.kind === 'played')
  const live = played.filter((game) => universe.gameState(game).live).sort((a, b) => b.endMs - a.endMs)
  const next = played.filter(({ startMs }) => startMs > nowMs).sort((a, b) => a.startMs - b.startMs)
  const game = live[0] ?? next[0]
  const event = game === undefined ? undefined : catalogue.eventBySlug(game.slug)
  return {
    game_slug: game?.slug ?? '',
    league: game?.league.code ?? '',
    game_event_id: event?.id ?? '',
    game_market_id: event?.markets[0]?.id ?? '',
    series_id:
      [...live, ...next].flatMap(({ slug }) => catalogue.eventBySlug(slug)?.series ?? [])[0]?.id ?? '',
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

/** A combo of several legs: traded, held and redeemed if there is one, and among those the most traded. */
function busiestCombo({ settledActs, catalogue }: Universe): Combo | undefined {
  const isHeld = ({ tokens }: Combo) =>
    tokens.some((token) => [...settledActs.holders(token).values()].some((amount) => amount > 0))
  const isRedeemed = (combo: Combo) =>
    partiesOf(settledActs.ofMarket(combo)).some((wallet) => hasRedeemed(settledActs, wallet, combo))
  const counts = new Map(
    catalogue
      .combos()
      .filter(({ legs }) => legs.length > 1)
      .map((combo) => [combo, settledActs.ofMarket(combo).length]),
  )
  const complete = [...counts].filter(([combo]) => isHeld(combo) && isRedeemed(combo))
  return most(new Map(complete)) ?? most(counts)
}

const hasRedeemed = (settledActs: Universe['settledActs'], wallet: Wallet, combo: Combo): boolean =>
  settledActs.ofWallet(wallet).some(({ tx: { act } }) => act.kind === 'redeemCombo' && act.token.of === combo)

function comboTrader({ settledActs }: Universe, combo: Combo | undefined): Wallet | undefined {
  if (combo === undefined) return undefined
  const parties = partiesOf(settledActs.ofMarket(combo))
  return parties.find((wallet) => hasRedeemed(settledActs, wallet, combo)) ?? parties[0]
}

const partiesOf = (matches: readonly SettledMatch[]): Wallet[] => [
  ...new Set(
    matches.flatMap(({ tx: { act } }) => [act.taker, ...act.makers].map(({ order }) => order.wallet)),
  ),
]

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
