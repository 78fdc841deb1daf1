const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

type NewYorkTime = { year: number; month: number; day: number; hour: number; minute: number }

/** What the clocks in New York are ahead of UTC: minus four hours in summer, minus five in winter. */
function newYorkOffsetMs(atMs: number): number {
  const { summerMs, winterMs } = clockChanges(new Date(atMs).getUTCFullYear())
  return atMs >= summerMs && atMs < winterMs ? -4 * HOUR_MS : -5 * HOUR_MS
}

const changesByYear = new Map<number, { summerMs: number; winterMs: number }>()

function clockChanges(year: number): { summerMs: number; winterMs: number } {
  let changes = changesByYear.get(year)
  if (changes === undefined) {
    // Second Sunday of March and first Sunday of November, both at 2 o'clock by the clock that runs then.
    changes = {
      summerMs: sundayMs(year, 2, 2) + 7 * HOUR_MS,
      winterMs: sundayMs(year, 10, 1) + 6 * HOUR_MS,
    }
    changesByYear.set(year, changes)
  }
  return changes
}

export function newYorkTime(atMs: number): NewYorkTime {
  const local = new Date(atMs + newYorkOffsetMs(atMs))
  return {
    year: local.getUTCFullYear(),
    month: local.getUTCMonth(),
    day: local.getUTCDate(),
    hour: local.getUTCHours(),
    minute: local.getUTCMinutes(),
  }
}

/** The last noon in New York at or before that moment. */
export function newYorkNoonMs(atMs: number): number {
  const localMs = atMs + newYorkOffsetMs(atMs)
  const noonMs = Math.floor((localMs - DAY_MS / 2) / DAY_MS) * DAY_MS + DAY_MS / 2
  // Clocks change at night, so noon has one offset, which may differ from the one of the given moment.
  return noonMs - newYorkOffsetMs(noonMs + 5 * HOUR_MS)
}

function sundayMs(year: number, month: number, which: number): number {
  const firstMs = Date.UTC(year, month, 1)
  const daysToSunday = (7 - new Date(firstMs).getUTCDay()) % 7
  return firstMs + (daysToSunday + 7 * (which - 1)) * DAY_MS
}
