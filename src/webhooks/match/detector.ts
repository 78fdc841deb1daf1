import type { Sql } from '../../store/connection.js'
import type { WebhookEventType } from '../event-types.js'
import type { FactSlice } from './fact-slice.js'
import type { Occurrence } from './occurrence.js'

/** Finds what happened in a slice of the facts. One of these for each family of event types. */
export type Detector = {
  types: readonly WebhookEventType[]
  /** Also called every second when there are no new facts: it waits for time to pass, or for a queue. */
  runsWithoutBlocks?: true
  /** Called when a webhook asks for one of the types. In the order of `seq`. */
  detect(slice: FactSlice): Promise<Detected>
  /**
   * Called in the place of `detect` when no webhook asks for its types, in the transaction that moves
   * the cursor: drops what has gathered for it.
   */
  skip?(tx: Sql): Promise<void>
}

export type Detected = {
  occurrences: readonly Occurrence[]
  /** Stores what the detector has to remember, in the transaction that moves the cursor. */
  store?: (tx: Sql) => Promise<void>
}
