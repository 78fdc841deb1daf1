import { toDecimal } from '../../core/money.js'
import type { WebhookPayload } from '../event-types.js'
import type { Detector, Occurrence } from './detector.js'
import { type FactSlice, type SliceFill, selectWalletFacts, type WalletFact } from './fact-slice.js'
import { identityOf } from './trades.js'

/**
 * A receiver was paid a trading fee: each FeeCharged log, before refunds. The first exchanges take the
 * fee of a purchase in shares: these are valued at the price that the transaction traded them for.
 */
export const feeEarned: Detector = {
  types: ['fee_earned'],
  async detect(slice) {
    const [fees, fills] = await Promise.all([selectFees(slice), slice.fills()])
    const inShares = new Set(fees.flatMap(({ txHash, token }) => (token === null ? [] : txHash)))
    const traded = sumTrades(fills.filter(({ txHash }) => inShares.has(txHash)))
    const occurrences = fees.flatMap((fee) => toOccurrence(fee, traded))
    return { occurrences }
  },
}

type Traded = ReadonlyMap<string, { usd: bigint; shares: bigint }>

const keyOf = (txHash: string, token: string): string => `${txHash} ${token}`

function sumTrades(fills: readonly SliceFill[]): Traded {
  const sums = new Map<string, { usd: bigint; shares: bigint }>()
  for (const { txHash, token, usd, shares } of fills) {
    const sum = sums.get(keyOf(txHash, token)) ?? { usd: 0n, shares: 0n }
    sums.set(keyOf(txHash, token), { usd: sum.usd + usd, shares: sum.shares + shares })
  }
  return sums
}

/** None for shares whose worth the transaction does not show. */
function toOccurrence(fee: FeeRow, traded: Traded): Occurrence[] {
  const { seq, timeSec, txHash, wallet } = fee
  const usd = worthOf(fee, traded)
  if (usd === undefined) return []
  const present = (): WebhookPayload<'fee_earned'> => ({
    receiver: wallet,
    fee_usd: toDecimal(usd),
    transaction_hash: txHash,
    timestamp: String(timeSec),
  })
  const keys = { receiver: wallet, usd }
  return [{ type: 'fee_earned', seq, timeSec, identity: identityOf(fee), keys, present }]
}

function worthOf({ amount, token, txHash }: FeeRow, traded: Traded): bigint | undefined {
  if (token === null) return amount
  const { usd, shares } = traded.get(keyOf(txHash, token)) ?? { usd: 0n, shares: 0n }
  return shares === 0n ? undefined : (amount * usd) / shares
}

/** Fees that a receiver was paid. Kind 0: charged. */
type FeeRow = WalletFact & { token: string | null; amount: bigint }

const selectFees = (slice: FactSlice) =>
  selectWalletFacts<FeeRow>(slice, 'fees', {
    columns: slice.sql`f.amount, '0x' || encode(t.token, 'hex') as token`,
    joins: slice.sql`left join tokens t on t.id = f.token`,
    where: slice.sql`f.kind = 0`,
  })
