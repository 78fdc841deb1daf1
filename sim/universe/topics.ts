import type { Coin } from './market.js'
import { monthName } from './windows.js'

/** When a topic is decided, in UTC: once, or on certain days. */
export type Schedule = { hour: number; on: (date: Date) => boolean; leadDays: number }

/**
 * A recurring or single matter that people bet on. `{date}`, `{month}` and `{year}` in texts are those
 * of the end. Priors of an exclusive topic sum to about one; `strikes` are relative to the coin's price
 * when the event is created.
 */
export type Topic = {
  key: string
  title: string
  category: string
  tags: readonly string[]
  series: string | undefined
  schedule: Schedule
  popularity: number
  feeRate: number
  /** What an exclusive event keeps of conversions; nothing when absent. */
  feeBips?: number
  questions: Questions
}

export type Questions =
  /** `draws`: on these days, counted since 1970, it ends in a draw. */
  | { kind: 'single'; prior: number; draws?: 'even' | 'odd' }
  | { kind: 'exclusive'; choices: readonly (readonly [title: string, prior: number])[] }
  | { kind: 'strikes'; coin: Coin; steps: readonly number[]; exclusive: boolean }

/** Fills in the date on which an instance ends. */
export function fillIn(text: string, endMs: number): string {
  const date = new Date(endMs)
  const month = monthName(date.getUTCMonth())
  return text
    .replaceAll('{date}', `${month} ${date.getUTCDate()}`)
    .replaceAll('{month}', month)
    .replaceAll('{year}', String(date.getUTCFullYear()))
}

/** The ends of a topic's instances within a stretch of time. */
export function endsWithin({ schedule }: Topic, fromMs: number, toMs: number): number[] {
  const ends: number[] = []
  const firstDay = Math.floor(fromMs / 86_400_000)
  for (let day = firstDay; day * 86_400_000 <= toMs; day++) {
    const endMs = day * 86_400_000 + schedule.hour * 3_600_000
    if (endMs > fromMs && endMs <= toMs && schedule.on(new Date(endMs))) ends.push(endMs)
  }
  return ends
}
