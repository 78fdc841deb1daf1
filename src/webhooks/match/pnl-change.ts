import { toTokenId } from '../../core/ids.js'
import { toDecimal } from '../../core/money.js'
import { groupBy } from '../../lib/group-by.js'
import { withoutPreparedPlan } from '../../store/connection.js'
import { ZERO_WORD } from '../../upstreams/polygon/abi.js'
import type { WebhookPayload } from '../event-types.js'
import type { Detector, Occurrence } from './detector.js'
import { type FactSlice, selectTransactions, selectWatched } from './fact-slice.js'
import { marketKeys, type SliceMarket, tokenFields } from './slice-markets.js'

/**
 * The realised profit of a watched wallet in a token, combos included, after each transaction that
 * changes it. The ledger's rows stand for the head: the profit at an earlier `seq` is
 * that, less all steps after it.
 */
export const pnlChange: Detector = {
  types: ['pnl_change'],
  async detect(slice) {
    const wallets = await selectWatched(slice, 'pnl_change', await selectEarners(slice))
    if (wallets.size === 0) return { occurrences: [] }
    const steps = await readSteps(slice, [...wallets.keys()])
    const marketOf = await slice.markets.ofTokens(steps.map(({ token }) => token))
    const occurrences: Occurrence[] = []
    // From the end of the slice back to its start.
    const later = new Map<string, bigint>()
    for (const step of steps.toReversed()) {
      const key = keyOf(step)
      const after = later.get(key) ?? step.realizedAtEnd
      later.set(key, after - step.amount)
      if (step.amount === 0n) continue
      const wallet = wallets.get(step.wallet) ?? ''
      occurrences.push(toOccurrence(step, wallet, after, marketOf(step.token)))
    }
    return { occurrences: occurrences.reverse() }
  },
}

/** What a transaction changed about the profit of a wallet in a token. */
type PnlStep = {
  /** Of the last row. */
  seq: number
  timeSec: number
  wallet: number
  tokenKey: number
  token: string
  amount: bigint
  txHash: string
  /** The profit at the end of the slice. */
  realizedAtEnd: bigint
}

const keyOf = ({ wallet, tokenKey }: Pick<PnlStep, 'wallet' | 'tokenKey'>): string => `${wallet} ${tokenKey}`

async function selectEarners({ sql, afterSeq, toSeq }: FactSlice): Promise<number[]> {
  const rows = await withoutPreparedPlan(sql<{ wallet: number }[]>`
    select distinct wallet from pnl where seq > ${afterSeq} and seq <= ${toSeq}`)
  return rows.map(({ wallet }) => wallet)
}

/** In the order of `seq`. Only facts of users bear profit, and these have the hash of their transaction. */
async function readSteps(slice: FactSlice, wallets: readonly number[]): Promise<PnlStep[]> {
  const rows = await selectPnlRows(slice, wallets)
  const hashes = await selectTransactions(slice.sql, [...new Set(rows.map(({ seq }) => seq))])
  const later = await selectLaterProfits(slice, wallets)
  const steps = groupBy(rows, (row) => `${hashes.get(row.seq)} ${keyOf(row)}`)
  return [...steps.values()]
    .map((group) => {
      const last = group.at(-1) ?? group[0]
      return {
        ...last,
        amount: group.reduce((sum, { amount }) => sum + amount, 0n),
        txHash: hashes.get(last.seq) ?? ZERO_WORD,
        realizedAtEnd: last.realized - (later.get(keyOf(last)) ?? 0n),
      }
    })
    .sort((a, b) => a.seq - b.seq || a.wallet - b.wallet || a.tokenKey - b.tokenKey)
}

type PnlFactRow = Omit<PnlStep, 'txHash' | 'realizedAtEnd'> & { realized: bigint }

/** In the order of `seq`, with the profits at the head. Indexes: the primary keys. */
const selectPnlRows = ({ sql, afterSeq, toSeq }: FactSlice, wallets: readonly number[]) =>
  withoutPreparedPlan(sql<PnlFactRow[]>`
    select pnl.seq::float8, b.time as time_sec, pnl.wallet, pnl.token as token_key,
           '0x' || encode(t.token, 'hex') as token, pnl.amount, p.realized
      from pnl
      join blocks b on b.number = pnl.seq >> 20
      join tokens t on t.id = pnl.token
      join positions p on p.wallet = pnl.wallet and p.token = pnl.token
     where pnl.seq > ${afterSeq} and pnl.seq <= ${toSeq}
       and pnl.wallet = any(${[...wallets]}::integer[])
     order by pnl.seq, pnl.sub`)

/** What was realised after this slice, by wallet and token. Index: that of each partition on the wallet. */
async function selectLaterProfits(
  { sql, toSeq, headSeq }: FactSlice,
  wallets: readonly number[],
): Promise<Map<string, bigint>> {
  if (toSeq === headSeq) return new Map()
  const rows = await withoutPreparedPlan(sql<{ wallet: number; tokenKey: number; amount: bigint }[]>`
    select wallet, token as token_key, sum(amount)::bigint as amount
      from pnl
     where seq > ${toSeq} and wallet = any(${[...wallets]}::integer[])
     group by wallet, token`)
  return new Map(rows.map((row) => [keyOf(row), row.amount]))
}

function toOccurrence(step: PnlStep, wallet: string, value: bigint, market: SliceMarket): Occurrence {
  const { seq, timeSec, token, txHash } = step
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
    type: 'pnl_change',
    seq,
    timeSec,
    identity: `${txHash} ${wallet} ${token}`,
    keys: { wallets: [wallet], tokenId, ...marketKeys(market) },
    present,
    change: { wallet, token, value, before },
  }
}
