import { FILL_FLAGS, hasFlag } from '../../core/fact-flags.js'
import { isCombo } from '../../core/structured-id.js'
import { type FillEntry, NONE } from '../../ledger/entry.js'
import { copyBytes, copyBytesOrNull, NULL } from '../../store/copy.js'
import type { Generation } from '../../upstreams/polygon/contracts.js'
import type { Side } from '../../upstreams/polygon/order.js'
import { type FactKind, indexesOn, isQueried, type TimedOrigin, UNTIMED } from './fact-kind.js'

/** An order was filled, seen from the side of its owner. */
export type FillFact = TimedOrigin & {
  orderHash: string
  /** Owner of the order: the `maker` of the log. */
  wallet: string
  /** The other side; the exchange itself when the order took. */
  taker: string
  exchange: string
  generation: Generation
  negRisk: boolean
  isTaker: boolean
  side: Side
  token: string
  usd: bigint
  shares: bigint
  /** What was kept in the end: refunds of the same transaction are subtracted. */
  fee: bigint
  /** Only a BUY of generation 1 pays its fee out of the shares. */
  isFeeInShares: boolean
  builder: string | undefined
  metadata: string | undefined
}

type FillRow = Omit<FillEntry, 'kind' | 'timeSec' | 'isBuy' | 'isTaker' | 'isFeeInShares'> & {
  flags: number
}

const RESTED = `flags & ${FILL_FLAGS.taker} = 0`
const OF_MARKET = `flags & ${FILL_FLAGS.combo} = 0`
const OF_COMBO = `flags & ${FILL_FLAGS.combo} <> 0`

export const FILLS: FactKind<FillFact> = {
  rows: {
    table: 'fills',
    columns: [
      'seq',
      'usd',
      'shares',
      'fee',
      'wallet',
      'taker',
      'exchange',
      'token',
      'builder',
      'flags',
      'order_hash',
      'tx_hash',
      'metadata',
    ],
    partitionIndexes: {
      ...indexesOn('wallet', 'token'),
      // The fill of an order that took has the exchange as `taker`: no query filters by that.
      taker: { on: '(taker, seq)', where: RESTED },
      // A wallet may only ever rest, or only take: what the filter `fills` looks for is then rare among its rows.
      wallet_took: { on: '(wallet, seq)', where: `flags & ${FILL_FLAGS.taker} <> 0` },
      wallet_rested: { on: '(wallet, seq)', where: RESTED },
      // 20 bytes a fill: a tree on the whole hash and seq has 68, a hash index 42.
      order_prefix: { on: '(substring(order_hash from 1 for 6))' },
      builder: { on: '(builder, seq)', where: `builder is not null and ${OF_MARKET}` },
      fee: { on: '(wallet, seq)', where: `fee > 0 and ${OF_MARKET}` },
      combo_wallet: { on: '(wallet, seq)', where: OF_COMBO },
      combo_taker: { on: '(taker, seq)', where: `${OF_COMBO} and ${RESTED}` },
    },
    toLine(fill, ids) {
      const { seq, usd, shares, fee } = fill
      const wallet = ids.wallet(fill.wallet)
      const taker = ids.wallet(fill.taker)
      const exchange = ids.wallet(fill.exchange)
      const token = ids.token(fill.token)
      const builder = fill.builder === undefined ? NULL : ids.builder(fill.builder)
      const order = copyBytes(fill.orderHash)
      const tx = copyBytes(fill.txHash)
      const metadata = copyBytesOrNull(fill.metadata)
      return `${seq}\t${usd}\t${shares}\t${fee}\t${wallet}\t${taker}\t${exchange}\t${token}\t${builder}\t${flagsOf(fill)}\t${order}\t${tx}\t${metadata}\n`
    },
  },
  addReferences({ seq, wallet, taker, exchange, token, builder }, ids, ordinal) {
    ids.wallets.add(wallet, seq, ordinal)
    ids.wallets.add(taker, seq, ordinal + 1)
    ids.wallets.add(exchange, seq, ordinal + 2)
    ids.tokens.add(token, seq, ordinal)
    if (builder !== undefined) ids.builders.add(builder, seq, ordinal)
  },
  entries: {
    kind: 'fill',
    toEntries: (fills, { ids }) =>
      fills.map((fill) => ({
        kind: 'fill',
        seq: fill.seq,
        timeSec: fill.timeSec,
        wallet: ids.wallet(fill.wallet),
        exchange: ids.wallet(fill.exchange),
        token: ids.token(fill.token),
        isBuy: fill.side === 'BUY',
        isTaker: fill.isTaker,
        usd: fill.usd,
        shares: fill.shares,
        fee: fill.fee,
        isFeeInShares: fill.isFeeInShares,
        builder: fill.builder === undefined ? NONE : ids.builder(fill.builder),
      })),
    /** Index: the primary key, or that of the wallet. */
    async select(sql, query) {
      const rows = await sql<FillRow[]>`
        select seq::float8, usd, shares, fee, wallet, exchange, token,
               coalesce(builder, ${NONE}) as builder, flags
          from fills
         where ${isQueried(sql, query)}
         order by fills.seq
         limit ${query.limit}`
      return rows.map((row) => ({
        kind: 'fill',
        seq: row.seq,
        timeSec: UNTIMED,
        wallet: row.wallet,
        exchange: row.exchange,
        token: row.token,
        isBuy: !hasFlag(row.flags, FILL_FLAGS.sell),
        isTaker: hasFlag(row.flags, FILL_FLAGS.taker),
        usd: row.usd,
        shares: row.shares,
        fee: row.fee,
        isFeeInShares: hasFlag(row.flags, FILL_FLAGS.feeInShares),
        builder: row.builder,
      }))
    },
    idsOf: ({ wallet, exchange, token }: FillEntry) => ({
      wallets: [wallet, exchange],
      tokens: [token],
    }),
    tokensSql: 'token',
  },
}

function flagsOf(fill: FillFact): number {
  return (
    (fill.side === 'SELL' ? FILL_FLAGS.sell : 0) +
    (fill.isTaker ? FILL_FLAGS.taker : 0) +
    (fill.isFeeInShares ? FILL_FLAGS.feeInShares : 0) +
    (fill.negRisk ? FILL_FLAGS.negRisk : 0) +
    (isCombo(fill.token) ? FILL_FLAGS.combo : 0) +
    fill.generation * FILL_FLAGS.generation
  )
}
