/** The data of an event, or a message about a book. */
export type EventFields = Readonly<Record<string, unknown>>

/** What a line says of an event. Columns without a value stay empty. */
export type EventColumns = {
  side?: unknown
  size?: unknown
  price?: unknown
  usd?: unknown
  wallet?: unknown
  /** The rest of the line, without a width. */
  text: readonly unknown[]
}

const about = (data: EventFields): unknown[] => [
  data.outcome,
  data.market_title ?? data.event_title ?? data.market_slug,
]

/** What each type shows. Types that are not here show their data as JSON. */
export const EVENT_COLUMNS: { readonly [type: string]: (data: EventFields) => EventColumns } = {
  settlement: (data) => ({
    side: data.taker_side,
    ...worth(data.taker_size, data.taker_price),
    wallet: data.taker_wallet,
    text: [data.status, ...about(data)],
  }),
  fill: (data) => ({
    side: data.side,
    ...worth(data.shares_normalized, data.price),
    wallet: data.user,
    text: [data.token_label, data.title],
  }),
  status_update: (data) => ({
    wallet: data.taker_wallet,
    text: [
      `in block ${toPlainText(data.block_number)} after ${toPlainText(data.latency_ms)} ms`,
      ...about(data),
    ],
  }),
  trade: (data) => ({
    side: data.side,
    ...worth(data.size, data.price),
    wallet: data.maker,
    text: about(data),
  }),
  position_change: (data) => ({
    size: data.amount,
    wallet: data.from,
    text: [`to ${shortenWallet(data.to)}`, ...about(data)],
  }),
  position_split: (data) => moneyOf(data, data.stakeholder),
  position_merge: (data) => moneyOf(data, data.stakeholder),
  positions_converted: (data) => ({
    size: data.amount,
    wallet: data.stakeholder,
    text: about(data),
  }),
  redemption: (data) => ({
    usd: data.payout,
    wallet: data.redeemer,
    text: [data.winning_outcome, ...about(data)],
  }),
  deposit: (data) => ({
    usd: data.amount,
    wallet: data.from,
    text: [data.direction, `to ${shortenWallet(data.to)}`],
  }),
  oracle: (data) => ({
    wallet: data.proposer,
    text: [data.oracle_type, data.resolved_outcome, ...about(data)],
  }),
  block: (data) => ({
    usd: data.trade_volume_usd,
    text: [`block ${toPlainText(data.block_number)}`, `${toPlainText(data.settlement_count)} matches`],
  }),
  reorg: (data) => ({
    text: [
      `${toPlainText(data.removed_blocks)} blocks behind ${toPlainText(data.fork_block)} were taken back`,
    ],
  }),
  combo_execution: (data) => ({
    side: data.taker_side,
    ...worth(data.taker_size, data.taker_price),
    wallet: data.taker_wallet,
    text: [data.outcome, countLegs(data)],
  }),
  combo_status_update: (data) => ({
    usd: data.amount_usdc,
    wallet: data.taker_address,
    text: [data.execution_status, `block ${toPlainText(data.block_number)}`, countLegs(data)],
  }),
  combo_lifecycle: (data) => ({
    usd: data.payout_usdc ?? data.amount_usdc,
    wallet: data.user,
    text: [data.action, data.module_name, countLegs(data)],
  }),
  combo_approval: (data) => ({
    wallet: data.owner,
    text: [data.approved === false ? 'revoked' : 'approved', data.target_role, data.approval_type],
  }),
  price_feed: (data) => ({
    text: [
      data.feed,
      formatNumber(data.price, 4),
      `bid ${formatNumber(data.bid, 4)}`,
      `ask ${formatNumber(data.ask, 4)}`,
      data.is_twap === true ? `mean of ${toPlainText(data.twap_window_seconds)} s` : undefined,
    ],
  }),
  score_update: (data) => ({
    text: [
      data.slug ?? data.game_id,
      `${toPlainText(data.home_team) || 'home'} ${toPlainText(data.score) || '-'} ${toPlainText(data.away_team) || 'away'}`,
      data.period,
      data.elapsed,
      data.status,
    ],
  }),
  book_snapshot: (data) => ({
    text: [
      `${count(data.bids)} bids, best ${priceOf(data.bids)}`,
      `${count(data.asks)} asks, best ${priceOf(data.asks)}`,
      data.outcome,
      data.question,
    ],
  }),
  price_change: (data) => {
    const [asset] = Array.isArray(data.assets) ? data.assets : []
    const { side, size, price, outcome, best_bid, best_ask } = isEventFields(asset) ? asset : {}
    const best = `best ${toPlainText(best_bid) || '-'} / ${toPlainText(best_ask) || '-'}`
    return { side, size, price, text: [best, outcome, data.slug] }
  },
  book_update: (data) => ({
    text: [`${count(data.bids)} bids, ${count(data.asks)} asks changed`, data.outcome, data.slug],
  }),
  stale: (data) => ({
    text: [
      data.stale === false ? 'to be trusted again' : 'not to be trusted',
      data.reason,
      `${count(data.markets)} books`,
    ],
  }),
  last_trade_price: (data) => ({
    side: data.side,
    ...worth(data.size, data.price),
    text: [data.outcome, data.slug],
  }),
}

export const showOther = (data: EventFields): EventColumns => ({ text: [JSON.stringify(data)] })

const moneyOf = (data: EventFields, wallet: unknown): EventColumns => ({
  usd: data.amount,
  wallet,
  text: about(data),
})

const worth = (size: unknown, price: unknown) => ({ size, price, usd: Number(size) * Number(price) })

const countLegs = ({ legs }: EventFields): string | undefined =>
  Array.isArray(legs) && legs.length > 0 ? `${legs.length} legs` : undefined

const count = (value: unknown): number => (Array.isArray(value) ? value.length : 0)

const priceOf = (levels: unknown): string =>
  Array.isArray(levels) && isEventFields(levels[0]) ? toPlainText(levels[0].price) : '-'

export function formatNumber(value: unknown, decimals: number): string {
  const number = typeof value === 'string' ? Number(value) : value
  if (typeof number !== 'number' || !Number.isFinite(number)) return ''
  return number.toLocaleString('en-US', {
    minimumFractionDigits: 2,
    maximumFractionDigits: decimals,
  })
}

/** `0x39d8…8d90` */
export function shortenWallet(wallet: unknown): string {
  const text = toPlainText(wallet)
  return text.length > 11 ? `${text.slice(0, 6)}…${text.slice(-4)}` : text
}

/** Titles are untrusted: characters that would move the cursor or reverse the text are removed. */
export function toPlainText(value: unknown): string {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' ? value.replace(/[\p{Cc}\p{Cf}]/gu, '') : ''
}

export const isEventFields = (value: unknown): value is EventFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
