import type { Bus } from '../bus/bus.js'
import type { StatusPart } from '../jobs/job.js'

/** What the bus holds and has handed on. */
export const eventStatus = (bus: Pick<Bus, 'status' | 'countBuffered'>): StatusPart => ({
  fields: () => {
    const { eventsBuffered, eventsProcessed, eventStoreBytes } = bus.status
    return {
      stream_length: bus.countBuffered('settlement'),
      events_stream_length: eventsBuffered,
      redis_memory: presentBytes(eventStoreBytes),
      state: { events_buffered: eventsBuffered, events_processed: eventsProcessed },
    }
  },
})

/** As Redis shows memory: `512B`, `3.1G`. */
export function presentBytes(bytes: number): string {
  const units = ['B', 'K', 'M', 'G', 'T']
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit++
  }
  return `${unit === 0 ? value : value.toFixed(1)}${units[unit]}`
}
