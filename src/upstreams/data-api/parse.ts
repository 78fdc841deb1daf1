import {
  arrayOf,
  type Parser,
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

/** The rows of a page. Its two statements on whether it is the last one must agree. */
export const dataPageOf =
  <T>(parseRow: Parser<T>): Parser<T[]> =>
  (value, path) => {
    const fields = parseFields(value, path)
    const { has_more, next_cursor } = fields.required('pagination', parseObject)
    const hasMore = parseBoolean(has_more, `${path}.pagination.has_more`)
    const cursorPath = `${path}.pagination.next_cursor`
    const isLast = next_cursor === null
    if (!isLast) parseString(next_cursor, cursorPath)
    if (isLast === hasMore) refuseValue(cursorPath, hasMore ? 'the next page' : 'null', next_cursor)
    return fields.required('data', arrayOf(parseRow))
  }
