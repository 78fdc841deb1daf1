import type { Detector } from './detector.js'
import { feeEarned } from './fee-earned.js'
import { marketCreated } from './market-created.js'
import { marketResolved } from './market-resolved.js'
import { orderComplete } from './order-complete.js'
import { pnlChange } from './pnl-change.js'
import { positionActions } from './position-actions.js'
import { positionStatus } from './position-status.js'
import { priceChange } from './price-change.js'
import { trades } from './trades.js'
import { watchedActivity } from './watched-activity.js'

/** Everything that webhooks can be notified of. A new event type is a detector and a line here. */
export const DETECTORS: readonly Detector[] = [
  trades,
  priceChange,
  marketResolved,
  marketCreated,
  pnlChange,
  positionStatus,
  orderComplete,
  positionActions,
  feeEarned,
  watchedActivity,
]
