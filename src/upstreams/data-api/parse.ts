import type { CursorPage } from '../transport/paging.js'
import {
  arrayOf,
  type Parser,
  parseAmount,
  parseBoolean,
  parseFields,
  parseInteger,
  parseNumber,
  parseObject,
  parseString,
  refuseValue,
} from '../transport/parse-json.js'

/** A wallet of the leaderboard. `volume` is in shares. */
export type DataLeader = ReturnType<typeof parseLeader>

export function parseLeader(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    rank: fields.required('rank', parseInteger),
    userId: fields.required('user_id', parseString),
    pnl: fields.required('pnl', parseNumber),
    volume: fields.required('volume', parseNumber),
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
