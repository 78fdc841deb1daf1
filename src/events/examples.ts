import { readFileSync } from 'node:fs'
import type { EventType } from './registry.js'

/** A message as clients receive it, and what it is an example of. */
export type EventExample = { name: string; payload: unknown }

/** Messages of every event type, taken from the simulated chain by `simulated-events.test.ts`. */
export const readEventExamples = (
  file = new URL('./examples.json', import.meta.url),
): Readonly<Record<EventType, readonly EventExample[]>> => JSON.parse(readFileSync(file, 'utf8'))
