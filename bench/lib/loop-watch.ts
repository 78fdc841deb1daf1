import { writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'

/**
 * Loaded into a server before its own code: with every SIGUSR2 it writes for how many milliseconds the
 * event loop was held up at most since the last one.
 */
const file = process.env.LOOP_WATCH_FILE ?? ''
const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
process.on('SIGUSR2', () => {
  writeFileSync(file, String(delay.max / 1e6))
  delay.reset()
})
