import { toDecimal } from '../../core/money.js'
import { toTokenId } from '../../core/token-id.js'
import type { Sql } from '../../store/connection.js'
import type { WebhookPayload } from '../payloads.js'
import type { Detector } from './detector.js'
import { marketKeys, tokenFields } from './market-fields.js'
import type { Occurrence } from './occurrence.js'
import type { Tape } from './tape.js'
import { type TapeMarket, unknownMarket } from './tape-markets.js'
import { selectWatched } from './watched-wallets.js'

/**
 * The realised profit of a watched wallet in a token, combos included, after each transaction that
 * changes it. The ledger's rows stand for the head: what they say of an earlier place is that, less
 * all steps behind the place.
 */
export const pnlChange: Detector = {
  types: ['pnl_change'],
  async detect(tape) {
    const wallets = await selectWatched(tape, 'pnl_change', await selectEarners(tape))
    if (wallets.size === 0) return { occurrences: [] }
    const steps = await selectSteps(tape, [...wallets.keys()])
    const markets = await tape.markets.ofTokens(steps.map(({ token }) => token))
    const occurrences: Occurrence[] = []
    // From the end of the part back to its start.
    const later = new Map<string, bigint>()
    for (const step of steps.toReversed()) {
      const key = `${step.walletId} ${step.tokenKey}`
      const after = later.get(key) ?? step.realizedAtEnd
      later.set(key, after - step.amount)
      if (step.amount === 0n) continue
      const wallet = wallets.get(step.walletId) ?? ''
      const market = markets.get(step.token) ?? unknownMarket(null)
      occurrences.push(toOccurrence({ ...step, wallet }, after, market))
    }
    return { occurrences: occurrences.reverse() }
  },
}

/** What a transaction changed about the profit of a wallet in a token. */
type PnlStep = {
  /** Of the last row. */
  seq: number
  timeSec: number
  walletId: number
  tokenKey: number
  token: string
  amount: bigint
  txHash: string
  /** The profit at the end of the part. */
  realizedAtEnd: bigint
}

async function selectEarners({ sql, afterSeq, toSeq }: Tape): Promise<number[]> {
  const rows = await sql<{ wallet: number }[]>`
    select distinct wallet from pnl where seq > ${afterSeq} and seq <= ${toSeq}`
  return rows.map(({ wallet }) => wallet)
}

/**
 * In the order of `seq`. Only the facts of users bear profit, and these have the hash of their
 * transaction. Indexes: the primary keys, and that of each partition of `pnl` on the wallet.
 */
const selectSteps = ({ sql, afterSeq, toSeq }: Tape, wallets: readonly number[]) => sql<PnlStep[]>`
  select step.seq::float8, b.time as time_sec, step.wallet as wallet_id, step.token as token_key,
         '0x' || encode(t.token, 'hex') as token, step.amount,
         '0x' || encode(step.tx_hash, 'hex') as tx_hash,
         p.realized - coalesce(later.amount, 0) as realized_at_end
    from (
      select max(pnl.seq) as seq, wallet, token, sum(amount)::bigint as amount, ${txHashOfPnl(sql)} as tx_hash
        from pnl
       where pnl.seq > ${afterSeq} and pnl.seq <= ${toSeq} and wallet = any(${[...wallets]}::integer[])
       group by wallet, token, 5
    ) step
    join blocks b on b.number = step.seq >> 20
    join tokens t on t.id = step.token
    join positions p on p.wallet = step.wallet and p.token = step.token
    left join (
      select wallet, token, sum(amount)::bigint as amount
        from pnl
       where pnl.seq > ${toSeq} and wallet = any(${[...wallets]}::integer[])
       group by wallet, token
    ) later on later.wallet = step.wallet and later.token = step.token
   order by step.seq, step.wallet, step.token`

/** By the column `cause`: 0 sell, 1 merge, 2 redemption, 3 conversion. */
const txHashOfPnl = (sql: Sql) => sql`
  case cause
    when 0 then (select tx_hash from fills f where f.seq = pnl.seq)
    when 1 then (select tx_hash from splits s where s.seq = pnl.seq)
    when 2 then (select tx_hash from redemptions r where r.seq = pnl.seq)
    else (select tx_hash from conversions c where c.seq = pnl.seq) end`

function toOccurrence(
  step: PnlStep & { wallet: string },
  value: bigint,
  market: TapeMarket,
): Occurrence {
  const { seq, timeSec, wallet, token, txHash } = step
  const before = value - step.amount
  const tokenId = toTokenId(token)
  const present = (base = before): WebhookPayload<'pnl_change'> => ({
    wallet,
    token_id: tokenId,
    realized_pnl: toDecimal(value),
    ...tokenFields(market, token),
    previous_realized_pnl: toDecimal(base),
    change_usd: toDecimal(value - base),
    timestamp: String(timeSec),
  })
  return {
    ...{ type: 'pnl_change', seq, timeSec, identity: `${txHash} ${wallet} ${token}` },
    keys: { wallets: [wallet], tokenId, ...marketKeys(market) },
    present,
    change: { wallet, token, value, before },
  }
}
