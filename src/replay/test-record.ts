import type { TestApp } from '../../test/test-app.js'
import { transact } from '../store/transaction.js'
import { draftOf } from '../stream/events/test-stream.js'

/** Publishes and stores a trade each second from now on. Returns when the first one was published. */
export async function recordTrades({ ctx, clock }: TestApp, seconds: number): Promise<number> {
  const { bus, eventLog, sql } = ctx
  const startMs = clock.now()
  await eventLog.lead(sql)
  const published = Array.from({ length: seconds }, (_, second) => {
    const { events, publish } = bus.reserve([draftOf('trade', { second }, {}, clock.now())])
    publish()
    clock.advance(1_000)
    return events
  })
  const [first = [], ...rest] = published
  await transact(sql, (tx) => eventLog.insert(tx, first))
  await transact(sql, (tx) => eventLog.insert(tx, rest.flat()))
  return startMs
}
