import { type Static, Type } from 'typebox'
import { oneOf, UnixSeconds } from '../../http/parameters.js'
import { Decimal, TradeSideField, UnixTime } from '../../http/row-fields.js'
import { ROW_FORMAT_NAMES } from '../../http/row-format.js'
import { pascalCase } from '../../http/schema-components.js'
import { namedEnum, namedObject } from '../../lib/named-object.js'
import { nullable } from '../../lib/nullable.js'

/** The start of 2024. */
const FROM_SEC = 1_704_067_200

const Format = Type.Optional(
  oneOf(
    ROW_FORMAT_NAMES,
    'how trades are written; without it the `accept` header decides, and JSON is the default',
    { title: 'RowFormat' },
  ),
)

const Window = {
  from: Type.Integer({ ...UnixSeconds, default: FROM_SEC, description: 'Unix seconds, included' }),
  to: Type.Optional(Type.Integer({ ...UnixSeconds, description: 'Unix seconds, included; without it now' })),
}

export const WalletExportQuery = Type.Object({
  ...Window,
  view: oneOf(
    ['all', 'own'],
    '`all`: fills that the wallet made or took; `own`: those of its own orders, the log of an order that took included',
    { default: 'all' },
  ),
  format: Format,
})

const Fills = oneOf(
  ['maker', 'taker', 'all'],
  '`maker`: fills of the orders that were met; `taker`: the logs of the orders that took them, which add up to the volume; `all`: both',
  { default: 'maker' },
)

export const MarketExportQuery = Type.Object({ ...Window, fills: Fills, format: Format })

export const DayExportQuery = Type.Object({
  date: Type.String({
    pattern: '^\\d{4}-\\d{2}-\\d{2}$',
    description: 'a day of UTC, such as 2026-11-15',
    examples: ['2026-11-15'],
  }),
  from: Type.Optional(UnixSeconds),
  to: Type.Optional(UnixSeconds),
  fills: Fills,
  format: Format,
})

export type BulkTrade = Static<typeof BulkTrade>
export const BulkTrade = namedObject('BulkTrade', {
  tx_hash: Type.String(),
  order_hash: Type.String(),
  timestamp: UnixTime('Unix seconds of the block'),
  maker: Type.String({ description: 'owner of the order' }),
  taker: Type.String({ description: 'counterparty; the exchange when the order itself took' }),
  token_id: Type.String(),
  direction: TradeSideField('what the maker does'),
  price: Decimal('dollars for a share, without the fee, 4 decimals'),
  shares: Decimal(),
  usd: Decimal('dollars'),
  fee: Decimal('dollars, paid by the maker'),
  is_taker_order: Type.Boolean({
    description: 'whether it is the log of an order that took; its fills have rows of their own',
  }),
})

export const WalletBulkTrade = namedObject('WalletBulkTrade', {
  ...BulkTrade.properties,
  own_token_id: Type.String({
    description: 'what the wallet itself bought or sold: the other token where a match made or merged a pair',
  }),
  own_side: TradeSideField('what the wallet itself does'),
  own_size: Decimal('shares that the wallet itself bought or sold'),
})

export const PARTIAL_REASONS = ['hard_cap_250000', 'wall_clock_180s'] as const

const Envelope = {
  from_ts: Type.Integer({ description: 'Unix seconds, as applied' }),
  to_ts: Type.Integer({ description: 'Unix seconds, as applied' }),
  count: Type.Integer({ minimum: 0 }),
  partial: Type.Boolean({ description: 'whether older trades of the window are left out' }),
  partial_reason: nullable(namedEnum('PartialReason', PARTIAL_REASONS), 'null when the answer is whole'),
  fetched_in_ms: Type.Integer({
    minimum: 0,
    description: 'how long it took to find the trades; of the first answer when this one is a `hit`',
  }),
  cache: namedEnum('ExportCacheState', ['hit', 'miss']),
}

export const WalletExportReply = namedObject('TradeExport', {
  wallet: Type.String(),
  ...Envelope,
  trades: Type.Array(WalletBulkTrade, { description: 'newest first' }),
})

/** `subject`: the field that says whose trades they are, by which the answer is named: `SlugTradeExport`. */
export const marketExportReply = (subject: string) =>
  namedObject(`${pascalCase(subject)}TradeExport`, {
    [subject]: Type.String(),
    ...Envelope,
    trades: Type.Array(BulkTrade, { description: 'newest first' }),
  })
