import type { Sql } from '../../store/connection.js'
import type { WebhookEventType } from '../event-types.js'
import type { Occurrence } from './occurrence.js'
import type { Tape } from './tape.js'

/** Finds what happened on a part of the tape. One of these for each family of event types. */
export type Detector = {
  types: readonly WebhookEventType[]
  /** Also called when the tape has not grown: it waits for time to pass, or for another queue. */
  runsWithoutBlocks?: true
  /** Called when a webhook asks for one of the types. In the order of `seq`. */
  detect(tape: Tape): Promise<Detected>
  /**
   * Whether something happened off the tape: time has passed, the catalogue has grown. Asked every
   * second, so it costs one look into an index. Absent: only the tape has what it detects.
   */
  isDue?(sql: Sql, nowMs: number): Promise<boolean>
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
