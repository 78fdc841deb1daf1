import type { BusEvent } from '../bus/event.js'

/** The buses whose events a live socket is sent. */
export type BusName = 'chain' | 'prices' | 'scores'

/** A published event, and where it stood among those of the other buses. */
export type ReplayEvent = {
  bus: BusName
  event: BusEvent
  /**
   * The number of the last event of the chain that had gone out before it; of an event of the chain its own. 0: it is
   * not known, because the process that recorded it had none of the chain yet.
   */
  chainSeq: number
}

/**
 * Whether a live socket was sent `a` before `b`, one of them of the chain. Events of the chain have the time at which
 * their block began to be committed, and go out after it. Sorted by
 * time alone, a price that was published meanwhile would move after them.
 */
export function wasSentBefore(a: ReplayEvent, b: ReplayEvent): boolean {
  if (a.chainSeq === 0 || b.chainSeq === 0) return a.event.publishedMs <= b.event.publishedMs
  return a.chainSeq < b.chainSeq || (a.chainSeq === b.chainSeq && a.bus === 'chain')
}
