import { parseBytes32, parseTokenId } from '../../core/ids.js'
import type { CursorPage } from '../transport/paging.js'
import {
  arrayOf,
  type Parser,
  parseAmount,
  parseBoolean,
  parseDecimal,
  parseFields,
  parseInteger,
  parseNumber,
  parseObject,
  parseString,
  refuseValue,
} from '../transport/parse-json.js'

/**
 * What a wallet has or had of one token, as the platform counts it. Amounts and prices are decimals as
 * they were written.
 */
export type DataPosition = ReturnType<typeof parsePosition>

export const DATA_STATUSES = ['OPEN', 'REDEEMABLE', 'CLOSED'] as const
type DataStatus = (typeof DATA_STATUSES)[number]

export function parsePosition(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    token: fields.required('token_id', parseToken),
    status: fields.required('status', parseStatus),
    size: fields.required('current_size', parseDecimal),
    bought: fields.required('total_size', parseAmount),
    /** Below zero after conversions that paid more than the shares had cost. */
    averagePrice: fields.required('avg_price', parseDecimal),
    price: fields.required('current_price', parseAmount),
    realizedPnl: fields.required('realized_pnl', parseDecimal),
    slug: fields.optional('slug', parseString),
    outcome: fields.optional('outcome', parseString),
    /** `undefined`: shares were never bought, or the platform does not say. */
    firstEntrySec: knownTime(fields.optional('first_entry_at', parseInteger)),
    lastEventSec: knownTime(fields.optional('last_event_at', parseInteger)),
  }
}

/** A trade from the side of one order, whether it took or rested. */
export type DataTrade = ReturnType<typeof parseTrade>

export function parseTrade(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    token: fields.required('token_id', parseToken),
    isSell: fields.required('side', parseSide) === 'SELL',
    size: fields.required('size', parseAmount),
    price: fields.required('price', parseAmount),
    timeSec: fields.required('timestamp', parseInteger),
    txHash: fields.required('transaction_hash', parseHash),
    slug: fields.optional('slug', parseString),
    outcome: fields.optional('outcome', parseString),
  }
}

/** An app that sends orders, as the board of builders shows it. `volume` counts shares, as a decimal. */
export type DataBuilder = ReturnType<typeof parseBuilder>

export function parseBuilder(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    rank: fields.required('rank', parseInteger),
    // Empty for an app of the time before codes.
    code: fields.optional('builder_code', parseString),
    // The code again for an app without a name.
    name: fields.optional('builder_name', parseString),
    logo: fields.optional('profile_image', parseString),
    verified: fields.required('verified', parseBoolean),
    volume: fields.required('volume', parseAmount),
    activeUsers: fields.required('active_users', parseInteger),
  }
}

/** A wallet on the board of traders. Money is in dollars; the name is the pseudonym of a wallet that has none. */
export type DataLeader = ReturnType<typeof parseLeader>

export function parseLeader(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    rank: fields.required('rank', parseInteger),
    wallet: fields.required('proxyWallet', parseString).toLowerCase(),
    name: fields.optional('userName', parseString),
    volume: fields.required('vol', parseNumber),
    pnl: fields.required('pnl', parseNumber),
    profileImage: fields.optional('profileImage', parseString),
  }
}

/** 0 stands for no time. */
const knownTime = (timeSec: number | undefined): number | undefined => (timeSec === 0 ? undefined : timeSec)

/** A decimal number, as hex text of 32 bytes. */
function parseToken(value: unknown, path: string): string {
  const token = parseTokenId(parseString(value, path))
  return token ?? refuseValue(path, 'a token id', value)
}

function parseStatus(value: unknown, path: string): DataStatus {
  const status = DATA_STATUSES.find((known) => known === value)
  return status ?? refuseValue(path, `one of ${DATA_STATUSES.join(', ')}`, value)
}

const SIDES = ['BUY', 'SELL'] as const

function parseSide(value: unknown, path: string): (typeof SIDES)[number] {
  const side = SIDES.find((known) => known === value)
  return side ?? refuseValue(path, 'BUY or SELL', value)
}

function parseHash(value: unknown, path: string): string {
  return parseBytes32(parseString(value, path)) ?? refuseValue(path, 'a transaction hash', value)
}

/** A page. Its two statements on whether it is the last one must agree. */
export const dataPageOf =
  <T>(parseRow: Parser<T>): Parser<CursorPage<T>> =>
  (value, path) => {
    const fields = parseFields(value, path)
    const { has_more, next_cursor } = fields.required('pagination', parseObject)
    const hasMore = parseBoolean(has_more, `${path}.pagination.has_more`)
    const cursorPath = `${path}.pagination.next_cursor`
    const nextCursor = next_cursor === null ? undefined : parseString(next_cursor, cursorPath)
    if ((nextCursor === undefined) === hasMore)
      refuseValue(cursorPath, hasMore ? 'the next page' : 'null', next_cursor)
    return { items: fields.required('data', arrayOf(parseRow)), nextCursor }
  }
