import type { Act, Redeem } from './acts.js'
import type { Ledger } from './ledger.js'
import type { Combo, Market, Payouts, Token } from './market.js'
import { habit, redeemsAutomatically } from './population.js'
import { unit } from './random.js'
import type { Wallet } from './wallet.js'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** Who lost mostly leaves the worthless shares where they are. */
const CLEANS_UP_SHARE = 0.3
const DIRECT_SHARE = 0.15

/** How long after the result a wallet collects; `undefined` for never. */
export function collectDelayMs(
  seed: number,
  wallet: Wallet,
  of: Market | Combo,
  wins: boolean,
): number | undefined {
  const chance = unit(seed, wallet.index, Math.floor(of.resolvesMs / 1000), 131)
  if (!wins && habit(seed, wallet, 2) > CLEANS_UP_SHARE) return undefined
  if (wallet.character === 'maker') return 20_000 + chance * 2 * MINUTE_MS
  if (redeemsAutomatically(seed, wallet)) return 3 * MINUTE_MS + chance * 4 * MINUTE_MS
  if (wallet.character === 'holder') return 6 * HOUR_MS + chance * 240 * HOUR_MS
  return 5 * MINUTE_MS + chance ** 3 * 60 * HOUR_MS
}

/** The redemption of everything that the wallet has in a market; `undefined` when that is nothing. */
export function redeem(
  seed: number,
  ledger: Ledger,
  wallet: Wallet,
  market: Market,
  payouts: Payouts,
): Act | undefined {
  const [first, second] = market.tokens
  const amounts: Redeem['amounts'] = [ledger.balance(wallet, first), ledger.balance(wallet, second)]
  if (amounts[0] === 0 && amounts[1] === 0) return undefined
  const route = redeemsAutomatically(seed, wallet)
    ? 'auto'
    : habit(seed, wallet, 3) < DIRECT_SHARE
      ? 'direct'
      : 'adapter'
  return { kind: 'redeem', route, wallet, market, amounts, payouts }
}

export function redeemCombo(
  seed: number,
  ledger: Ledger,
  wallet: Wallet,
  token: Token,
  payouts: Payouts,
): Act | undefined {
  const amount = ledger.balance(wallet, token)
  if (amount === 0) return undefined
  const route = redeemsAutomatically(seed, wallet) ? 'auto' : 'router'
  return { kind: 'redeemCombo', route, wallet, token, amount, payouts }
}
