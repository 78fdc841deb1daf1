import { readFileSync } from 'node:fs'
import { CLOCK_FILE_VARIABLE, type ClockReading, readClock } from './service-clock.js'

/**
 * Loaded by Node.js before a service starts, in each of its threads: makes `Date` show the time of the
 * universe. A signal would not reach threads, so the file is read at an interval; that takes 20 µs.
 */
const READ_EVERY_MS = 50

const file = process.env[CLOCK_FILE_VARIABLE]
if (file !== undefined) replaceDate(file)

function replaceDate(file: string): void {
  const RealDate = Date
  const realNow = Date.now
  let reading = readReading(file)
  // Unreferenced: a process that has nothing else to do ends.
  setInterval(() => {
    reading = readReading(file, reading)
  }, READ_EVERY_MS).unref()

  const now = () => readClock(reading, realNow())
  function ServiceDate(this: unknown, ...values: unknown[]) {
    if (new.target === undefined) return new RealDate(now()).toString()
    const target: unknown = new.target
    const made = target === ServiceDate ? RealDate : new.target
    return Reflect.construct(RealDate, values.length === 0 ? [now()] : values, made)
  }
  // Dates that Node.js makes itself stay instances of what the service calls Date.
  ServiceDate.prototype = RealDate.prototype
  ServiceDate.now = now
  ServiceDate.parse = RealDate.parse
  ServiceDate.UTC = RealDate.UTC
  Object.defineProperty(RealDate.prototype, 'constructor', { value: ServiceDate })
  Object.defineProperty(globalThis, 'Date', { value: ServiceDate })
}

/** `last` when the file is gone, as it is once the run is over. */
function readReading(file: string, last?: ClockReading): ClockReading {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ClockReading
  } catch (error) {
    if (last === undefined) throw error
    return last
  }
}
