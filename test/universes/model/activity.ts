import type { Act, Redeem } from '../../../sim/universe/acts.js'
import type { Token } from '../../../sim/universe/market.js'
import { conversionFee, payoutOf, payoutOfBoth, questionsOf } from '../../../sim/universe/outcomes.js'
import { type EventName, eventOf } from '../../reconcile/events.js'
import type { ModelTransaction } from './transactions.js'

type Origin = { wallet: string; block: number; timeSec: number; txHash: string; logIndex: number }

/** What a wallet did with tokens beside trading. */
export type ModelActivity = Origin & {
  kind: 'split' | 'merge' | 'redemption' | 'conversion'
  /** The condition; of a conversion the neg-risk market. */
  reference: string
  amount: bigint
  /** Money that it brought the wallet; negative: that it cost. */
  cash: bigint
  /** Of a redemption the index sets, of a conversion how many questions its market has. */
  extra: string | null
  isCombo: boolean
}

/** The acts of a transaction that lists of activity have; combos are listed apart. */
export function activityIn(transaction: ModelTransaction): ModelActivity[] {
  const { act } = transaction
  switch (act.kind) {
    case 'split':
    case 'merge': {
      const amount = BigInt(act.amount)
      const reference = act.market.conditionId
      const cash = act.kind === 'split' ? -amount : amount
      const fields = { kind: act.kind, reference, amount, cash, extra: null, isCombo: false } as const
      return [{ ...originOf(transaction, act.wallet, eventNameOf(act)), ...fields }]
    }
    case 'redeem': {
      const amount = BigInt(payoutOfBoth(act.amounts, act.payouts))
      const fields = { kind: 'redemption', amount, cash: amount, extra: '{1,2}', isCombo: false } as const
      const reference = act.market.conditionId
      return [{ ...originOf(transaction, act.wallet, eventNameOf(act)), reference, ...fields }]
    }
    case 'convert': {
      const { given } = questionsOf(act)
      return [
        {
          ...originOf(transaction, act.wallet, eventNameOf(act)),
          kind: 'conversion',
          reference: act.event.negRisk?.marketId ?? '',
          amount: BigInt(act.amount),
          cash: BigInt(act.amount - conversionFee(act)) * BigInt(given.length - 1),
          extra: `${act.event.markets.length}`,
          isCombo: false,
        },
      ]
    }
    case 'redeemCombo': {
      const { of, outcome } = act.token
      const amount = BigInt(payoutOf(act.amount, act.payouts, outcome))
      const isCombo = of.kind === 'combo' && of.legs.length > 1
      const fields = { kind: 'redemption', amount, cash: amount, extra: `{${outcome + 1}}`, isCombo } as const
      const reference = `${of.conditionId}00`
      return [{ ...originOf(transaction, act.wallet, eventNameOf(act)), reference, ...fields }]
    }
    default:
      return []
  }
}

/** The log that names the wallet of such an act. */
function eventNameOf(act: Act): EventName {
  switch (act.kind) {
    case 'split':
      return act.market.event.negRisk === undefined ? 'CTF PositionSplit' : 'NegRisk PositionSplit'
    case 'merge':
      return act.market.event.negRisk === undefined ? 'CTF PositionsMerge' : 'NegRisk PositionsMerge'
    case 'redeem':
      return redemptionEventOf(act)
    case 'convert':
      return 'NegRisk PositionsConverted'
    case 'redeemCombo':
      return act.route === 'auto' ? 'AutoRedeemer Redemption' : 'Module PositionRedeemed'
    default:
      throw new Error(`no log names the wallet of a ${act.kind}`)
  }
}

function redemptionEventOf({ route, market }: Redeem): EventName {
  const isNegRisk = market.event.negRisk !== undefined
  if (route === 'auto') {
    return isNegRisk ? 'AutoRedeemer NegRiskRedemption' : 'AutoRedeemer BinaryRedemption'
  }
  return isNegRisk ? 'NegRisk PayoutRedemption' : 'CTF PayoutRedemption'
}

/** Money that a wallet brought or took out. */
export type ModelFlow = Omit<Origin, 'logIndex'> & { isDeposit: boolean; amount: bigint; recipient: string }

export function flowsIn({ act, block, timeSec, hash: txHash }: ModelTransaction): ModelFlow[] {
  if (act.kind !== 'deposit' && act.kind !== 'withdraw') return []
  const isDeposit = act.kind === 'deposit'
  const { address: wallet, owner } = act.wallet
  const recipient = isDeposit ? wallet : owner
  return [{ wallet, block, timeSec, txHash, isDeposit, amount: BigInt(act.amount), recipient }]
}

/** A redemption of structured positions: of a combo, or of a market whose shares have migrated. */
export type ModelComboRedemption = Origin & { token: Token; amount: bigint; payout: bigint }

export function comboRedemptionsIn(transaction: ModelTransaction): ModelComboRedemption[] {
  const { act } = transaction
  if (act.kind !== 'redeemCombo') return []
  const { token, amount, payouts, wallet } = act
  const payout = BigInt(payoutOf(amount, payouts, token.outcome))
  const origin = originOf(transaction, wallet, 'Module PositionRedeemed')
  return [{ ...origin, token, amount: BigInt(amount), payout }]
}

/** The last log of that name: the inner ones of contracts come before that of the wallet. */
function originOf(transaction: ModelTransaction, wallet: { address: string }, name: EventName): Origin {
  const log = transaction.logs.findLast((each) => eventOf(each) === name)
  if (log === undefined) throw new Error(`${transaction.hash} has no ${name}`)
  const { block, timeSec, hash: txHash } = transaction
  return { wallet: wallet.address, block, timeSec, txHash, logIndex: Number(log.logIndex) }
}
