import type { List } from '../../src/http/list.js'
import type { ApiWorld } from '../api-world.js'
import { mostCommon } from '../most-common.js'

/** A list: how its path is filled in, and queries that show each of its views. */
export type Subject<World extends ApiWorld = ApiWorld> = {
  list: List
  path: (world: World) => string
  /** What every request needs. */
  base?: Record<string, string> | ((world: World) => Record<string, string>)
  /** Views with cursors, then views without. Each has more rows than a page, and at most `limitMax`. */
  paged: Record<string, string>[]
  unpaged: Record<string, string>[]
  /** 300 when it is absent. */
  limitMax?: number
  /** Rows of a page in a walk; 7 when it is absent. */
  pageSize?: number
  /** False: rows are not ordered by their place on the chain. */
  isOfSeq?: boolean
}

/** The value that most fills have. */
export function mostFrequent({ fills }: ApiWorld, pick: (fill: ApiWorld['fills'][number]) => string): string {
  return mostCommon(fills.map(pick))
}

const NAMES = [
  'id',
  'wallet',
  'wallet_address',
  'user',
  'token_id',
  'builder_code',
  'date',
  'tx_hash',
  'transaction_hash',
  'log_index',
  'order_hash',
  'event_kind',
  'wallet_role',
  'combo_condition_id',
  'combo_position_id',
  'condition_id',
  'event_slug',
  'tag',
  'slug',
  'value',
]

/** What tells the rows of a list apart; other fields may move with prices. */
export const nameOfRow = (row: Record<string, unknown>): string => NAMES.map((name) => row[name] ?? '').join()
