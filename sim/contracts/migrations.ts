import assert from 'node:assert'
import type { Migrate, ResolveLeg } from '../universe/acts.js'
import type { Market, Payouts } from '../universe/market.js'
import { payoutOfBoth } from '../universe/outcomes.js'
import { ADDRESS, WORD } from './addresses.js'
import { allowPusd, moveUsdce } from './events/erc20.js'
import { approveAll, moveManyShares, transferBatch } from './events/erc1155.js'
import {
  conditionResolved,
  legacyCollateralSettled,
  migrationConditionRegistered,
  migrationResolved,
  positionMigrated,
  resultReported,
} from './events/modules.js'
import type { LogBody } from './log.js'
import { merge, redeem } from './positions.js'
import { binaryConditionOf } from './structured-ids.js'
import { ZERO_WORD } from './words.js'

const MODULE = WORD.binaryModule
const RESULT_TOTAL = 1_000_000

/** Before a market can migrate or be a leg, the module learns which of its conditions stands for it. */
export function encodeRegisterLeg({ market }: { market: Market }): LogBody[] {
  const { conditionId } = market
  return [migrationConditionRegistered(binaryConditionOf(conditionId), conditionId)]
}

/**
 * The module takes the old shares, mints as many new ones, and settles the sets that it has now. So
 * that they can be traded, the wallet allows the exchange to move them and its money.
 */
export function encodeMigrate({ wallet, combo, amounts, merged }: Migrate): LogBody[] {
  const market = migratingMarket(combo)
  const moved = combo.tokens.filter(({ outcome }) => amounts[outcome] > 0)
  const values = moved.map(({ outcome }) => amounts[outcome])
  const before = moved.map(({ outcome }) => market.tokens[outcome].word)
  const after = moved.map(({ word }) => word)
  return [
    moveManyShares(MODULE, wallet.word, MODULE, before, values),
    transferBatch(ADDRESS.positionManager, MODULE, ZERO_WORD, wallet.word, after, values),
    ...(merged > 0 ? merge(MODULE, market, merged) : []),
    ...moved.map(({ word, outcome }) =>
      positionMigrated(wallet.word, combo.conditionId, word, outcome, amounts[outcome]),
    ),
    ...settle(merged),
    approveAll(wallet.word, WORD.exchangeV3),
    allowPusd(wallet.word, WORD.exchangeV3),
  ]
}

/** The result of the old condition counts for the new one; the module redeems what it has of the old. */
export function encodeResolveLeg({ market, payouts, parked }: ResolveLeg): LogBody[] {
  const { conditionId } = market
  const structured = binaryConditionOf(conditionId)
  const result = resultOf(payouts)
  return [
    conditionResolved(structured, result),
    resultReported(MODULE, structured, result),
    migrationResolved(structured, conditionId, payouts, result),
    ...redeem(MODULE, market, parked, payouts),
    ...settle(payoutOfBoth(parked, payouts)),
  ]
}

/** The market whose shares migrate into the combo's. */
export function migratingMarket({ legs }: Migrate['combo']): Market {
  const [leg, ...others] = legs
  assert(leg !== undefined && others.length === 0, 'a market migrates alone')
  return leg.market
}

/** Money of the old shares goes to the vault that backs pUSD. */
function settle(amount: number): LogBody[] {
  if (amount === 0) return []
  return [
    moveUsdce(MODULE, WORD.pusdVault, amount),
    legacyCollateralSettled(WORD.usdce, WORD.pusdVault, amount),
  ]
}

/** Payouts as the module counts them: out of a million. */
function resultOf(payouts: Payouts): [number, number] {
  const first = Math.floor((payouts[0] * RESULT_TOTAL) / (payouts[0] + payouts[1]))
  return [first, RESULT_TOTAL - first]
}
