import type { BusEvent } from '../bus/event.js'
import { type EventExample, MESSAGES } from './registry.js'

/** One message for each example that an event type has: the shortest of the first list that has one. */
export function pickExamples(lists: readonly (readonly BusEvent[])[]) {
  const pick = (type: string, name: string, values: BusEvent['data']): EventExample => {
    const isMeant = (event: BusEvent) =>
      event.type === type && Object.entries(values).every(([field, value]) => event.data[field] === value)
    const event = lists
      .map((list) => list.filter(isMeant))
      .find((found) => found.length > 0)
      ?.reduce((best, each) => (each.text.length < best.text.length ? each : best))
    return { name, payload: event === undefined ? undefined : JSON.parse(event.text) }
  }
  return Object.fromEntries(
    Array.from(MESSAGES.values(), ({ type, examples }) => [
      type,
      Object.entries(examples).map(([name, values]) => pick(type, name, values)),
    ]),
  )
}
