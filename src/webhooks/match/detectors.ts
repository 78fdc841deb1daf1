import type { Detector } from './detector.js'
import { marketCreated } from './market-created.js'
import { marketResolved } from './market-resolved.js'
import { orderComplete } from './order-complete.js'
import { pnlChange } from './pnl-change.js'
import { positionStatus } from './position-status.js'
import { priceChange } from './price-change.js'

/** Everything that webhooks can be notified of. A new event type is a detector and a line here. */
export const DETECTORS: readonly Detector[] = [
  priceChange,
  marketResolved,
  marketCreated,
  pnlChange,
  positionStatus,
  orderComplete,
]
