import { toTokenId } from '../../core/ids.js'
import { toDecimal } from '../../core/money.js'
import { toIsoTime } from '../../core/unix-time.js'
import type { ClosedRow } from './queries.js'

/** How the platform writes an outcome that it does not know. */
const UNKNOWN_OUTCOME = 999

export const presentClosedPosition = (wallet: string, row: ClosedRow) => ({
  proxy_wallet: wallet,
  asset: toTokenId(row.token),
  condition_id: row.condition ?? '',
  avg_price: toDecimal(BigInt(row.average)),
  total_bought: toDecimal(row.bought),
  realized_pnl: toDecimal(row.realized),
  cur_price: toDecimal(BigInt(row.price)),
  timestamp: row.lastSec,
  title: row.title ?? '',
  slug: row.slug ?? '',
  icon: row.icon ?? '',
  event_slug: row.eventSlug ?? '',
  outcome: row.outcome ?? '',
  outcome_index: row.outcomeIndex ?? UNKNOWN_OUTCOME,
  opposite_outcome: row.oppositeOutcome ?? '',
  opposite_asset: row.opposite === null ? '' : toTokenId(row.opposite),
  end_date: row.endSec === null ? '' : toIsoTime(row.endSec).replace('.000', ''),
})
