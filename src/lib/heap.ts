import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'

/** The size near which the heap is kept, within the bounds of `GROWTH_PERCENT`. */
const HEAP_BYTES = 160 * 1024 * 1024
/** Growth before a collection, in percent of what is in use; with less the process would only collect. */
const GROWTH_PERCENT = { min: 25, max: 100 }

/**
 * Left alone, V8 lets a heap grow to four times what is in use before it collects. This keeps it near
 * one size, for a few percent of a core while much is going on.
 */
export function keepHeapSmall(): void {
  limitGrowth(GROWTH_PERCENT.max)
  const observer = new PerformanceObserver((list) => {
    const isMajor = list.getEntries().some((entry) => kindOf(entry) === constants.NODE_PERFORMANCE_GC_MAJOR)
    if (isMajor) limitGrowth((HEAP_BYTES / getHeapStatistics().used_heap_size - 1) * 100)
  })
  observer.observe({ entryTypes: ['gc'] })
}

/** The types of Node.js leave out the `detail` of garbage collection entries. */
const kindOf = (entry: PerformanceEntry & { detail?: { kind?: number } }) => entry.detail?.kind

function limitGrowth(percent: number): void {
  const { min, max } = GROWTH_PERCENT
  const bounded = Math.round(Math.min(Math.max(percent, min), max))
  setFlagsFromString(`--heap-growing-percent=${bounded}`)
}
