import { type Static, Type } from 'typebox'
import { Address, oneOf, UnixSeconds } from '../../http/parameters.js'
import { ROW_FORMAT_NAMES } from '../../http/row-format.js'
import { nullable } from '../../lib/nullable.js'

/** The start of 2024. */
const FROM_SEC = 1_704_067_200

export const ExportParams = Type.Object({ address: Address })

export const ExportQuery = Type.Object({
  from: Type.Integer({ ...UnixSeconds, default: FROM_SEC, description: 'Unix seconds, included' }),
  to: Type.Optional(
    Type.Integer({
      ...UnixSeconds,
      description: 'Unix seconds, included; without it the beginning of this minute',
    }),
  ),
  view: oneOf(
    ['all', 'own'],
    '`all`: fills that the wallet made or took; `own`: those of its own orders, the log of an order that took included',
    { default: 'all' },
  ),
  format: Type.Optional(
    oneOf(
      ROW_FORMAT_NAMES,
      'how trades are written; without it the `accept` header decides, and JSON is the default',
    ),
  ),
})

export type BulkTrade = Static<typeof BulkTrade>
export const BulkTrade = Type.Object({
  tx_hash: Type.String(),
  order_hash: Type.String(),
  timestamp: Type.Integer({ description: 'Unix seconds of the block' }),
  maker: Type.String({ description: 'owner of the order' }),
  taker: Type.String({ description: 'counterparty; the exchange when the order itself took' }),
  token_id: Type.String(),
  direction: Type.String({ enum: ['BUY', 'SELL'], description: 'what the maker does' }),
  price: Type.Number({ description: 'dollars for a share, without the fee, 4 decimals' }),
  shares: Type.Number(),
  usd: Type.Number({ description: 'dollars' }),
  fee: Type.Number({ description: 'dollars, paid by the maker' }),
})

export const PARTIAL_REASONS = ['hard_cap_250000', 'wall_clock_180s'] as const

export const ExportReply = Type.Object({
  wallet: Type.String(),
  from_ts: Type.Integer({ description: 'Unix seconds, as applied' }),
  to_ts: Type.Integer({ description: 'Unix seconds, as applied' }),
  count: Type.Integer({ minimum: 0 }),
  partial: Type.Boolean({ description: 'whether older trades of the window are left out' }),
  partial_reason: nullable(
    Type.String({ enum: [...PARTIAL_REASONS] }),
    'null when the answer is whole',
  ),
  fetched_in_ms: Type.Integer({
    minimum: 0,
    description:
      'how long it took to find the trades; of the first answer when this one is a `hit`',
  }),
  cache: Type.String({ enum: ['hit', 'miss'] }),
  trades: Type.Array(BulkTrade, { description: 'newest first' }),
})
