import { eventOf } from '../../reconcile/events.js'
import { amountsAt, type RawLog, topicAt } from '../../reconcile/log.js'

/** A result that is on the chain. */
export type ModelResult = {
  /** 0x and 64 hex digits; a structured one is padded with zeros. */
  condition: string
  /** By outcome. */
  payouts: readonly bigint[]
  timeSec: number
}

/** The results that these logs state: of conditional tokens, and of the legs of combos and migrated markets. */
export function resultsIn(logs: readonly RawLog[], timeSec: number): ModelResult[] {
  return logs.flatMap((log) => {
    const name = eventOf(log)
    const condition = topicAt(log, 1)
    if (name === 'CTF ConditionResolution') return [{ condition, payouts: amountsAt(log, 1), timeSec }]
    return name === 'Module ConditionResolved' ? [{ condition, payouts: amountsAt(log, 0), timeSec }] : []
  })
}
