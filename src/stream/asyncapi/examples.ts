import { readFileSync } from 'node:fs'
import { readEventExamples } from '../../events/examples.js'

/** A message as a client or the service sends it. */
type StreamExample = { name: string; payload: unknown }

const readControlExamples = (): Record<string, StreamExample[]> =>
  JSON.parse(readFileSync(new URL('./examples.json', import.meta.url), 'utf8'))

/** Of every message, by its name. Those of events are taken from the simulated chain. */
export function collectExamples(): Record<string, readonly StreamExample[] | undefined> {
  const events = readEventExamples()
  const replayed = events.trade.slice(0, 1).map(({ payload }) => payload)
  const snapshot = { type: 'snapshot', count: replayed.length, events: replayed }
  const { snapshot: empty = [], ...control } = readControlExamples()
  return {
    ...events,
    ...control,
    snapshot: [{ name: 'One event', payload: snapshot }, ...empty],
  }
}
