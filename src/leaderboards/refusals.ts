import { ApiError, badRequest, unavailable } from '../core/errors.js'
import type { Sql } from '../store/connection.js'
import { type BoardSnapshot, selectBoardSnapshot } from './queries.js'

/** The refusal of a cursor whose snapshot is gone. */
export const boardAdvanced = () =>
  new ApiError(409, 'The leaderboard was made anew since the cursor was issued.', {
    hint: 'Start again without a cursor, at offset 0.',
  })

type Depth = {
  limit?: number | undefined
  offset?: number | undefined
  limitMax: number
  rankMax: number
}

/** Refuses a page by offset that reaches beyond the last rank. */
export function checkDepth({ limit = 100, offset = 0, limitMax, rankMax }: Depth): void {
  const applied = Math.min(Math.max(limit, 1), limitMax)
  if (Math.max(offset, 0) + applied <= rankMax) return
  throw badRequest('leaderboard_offset_too_deep', {
    max_rank: rankMax,
    max_offset: rankMax - applied,
    limit: applied,
    offset,
  })
}

/** The snapshot that a request reads; `until` is the one that its cursor names. */
export async function requireSnapshot(sql: Sql, until?: number): Promise<BoardSnapshot> {
  const state = await selectBoardSnapshot(sql)
  if (state === undefined) throw unavailable('leaderboard_unavailable')
  if (until !== undefined && until !== state.snapshot) throw boardAdvanced()
  return state
}
