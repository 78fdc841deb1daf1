import type { EventLog } from '../events/event-log.js'
import type { Sql } from '../store/connection.js'
import { readEventRecord } from './event-record.js'
import { mergePages } from './merge-pages.js'
import { selectRecordStart } from './queries.js'
import { type ReplayEvent, wasSentBefore } from './replay-event.js'

/** Everything that live sockets were sent: the log of events of the chain, and the record of prices and scores. */
export class ReplayRecord {
  readonly #eventLog: Pick<EventLog, 'readBetween'>

  constructor(eventLog: Pick<EventLog, 'readBetween'>) {
    this.#eventLog = eventLog
  }

  /** What was published in a range of times, in the order in which a live socket was sent it, in pages. */
  read(fromMs: number, toMs: number, sql: Sql): AsyncGenerator<readonly ReplayEvent[]> {
    const others = readEventRecord(sql, { fromMs, toMs })
    return mergePages(this.#chainEvents(fromMs, toMs, sql), others, wasSentBefore)
  }

  /** Since when something is kept; `undefined`: nothing is. */
  async startOf(sql: Sql): Promise<number | undefined> {
    return await selectRecordStart(sql)
  }

  async *#chainEvents(fromMs: number, toMs: number, sql: Sql): AsyncGenerator<readonly ReplayEvent[]> {
    for await (const events of this.#eventLog.readBetween(fromMs, toMs, sql))
      yield events.map((event) => ({ bus: 'chain', event, chainSeq: event.seq }))
  }
}
