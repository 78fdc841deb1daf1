import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { tidyLater } from './tidy.js'

const SAMPLE_MS = 5

/** Watches the event loop of a server that is started with `env`. */
export function watchLoop() {
  const folder = mkdtempSync(join(tmpdir(), 'auspex-bench-'))
  tidyLater(async () => rmSync(folder, { recursive: true }))
  const file = join(folder, 'loop')
  const watch = join(import.meta.dirname, 'loop-watch.js')
  return {
    env: { NODE_OPTIONS: `--import ${watch}`, LOOP_WATCH_FILE: file },
    /** For how many milliseconds it was held up at most since the last call. */
    read: async (pid: number): Promise<number> => {
      rmSync(file, { force: true })
      process.kill(pid, 'SIGUSR2')
      while (!existsSync(file) || readFileSync(file, 'utf8') === '') await sleep(SAMPLE_MS)
      return Number(readFileSync(file, 'utf8'))
    },
  }
}
