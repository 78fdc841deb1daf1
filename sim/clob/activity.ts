import { baseFeeBps } from '../markets/terms.js'
import type { Market } from '../universe/market.js'
import type { SettledMatch } from '../universe/tape.js'
import type { Universe } from '../universe/universe.js'
import { decimal } from './decimal.js'
import { showPrice } from './quotes.js'

const TRADES_MAX = 100

/** The newest trades of a market with who took them, the newest first. */
export function listActivity(universe: Universe, market: Market): object[] {
  return universe.tape
    .ofMarket(market)
    .slice(-TRADES_MAX)
    .reverse()
    .map((settled) => presentTrade(market, settled))
}

function presentTrade(market: Market, { tx, block }: SettledMatch): object {
  const { order, usd, shares } = tx.act.taker
  const { wallet, token } = order
  return {
    event_type: 'trade',
    market: {
      condition_id: market.conditionId,
      asset_id: token.decimal,
      question: market.question,
      icon: market.event.image,
      slug: market.slug,
    },
    user: {
      address: wallet.address,
      username: wallet.name,
      profile_picture: wallet.profileImage,
      optimized_profile_picture: wallet.profileImage,
      pseudonym: wallet.pseudonym,
    },
    side: order.side,
    size: decimal(shares, 6),
    fee_rate_bps: String(baseFeeBps(market)),
    price: showPrice(Math.round((usd * 10_000) / shares)),
    outcome: market.outcomes[token.outcome],
    outcome_index: token.outcome,
    transaction_hash: tx.hash,
    timestamp: String(block.timestampSec),
  }
}
