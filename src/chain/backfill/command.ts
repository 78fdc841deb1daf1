import type { Config } from '../../config/config.js'
import { OperatorError } from '../../core/errors.js'
import type { Target } from '../../store/connection.js'
import { withUpstreams } from '../../upstreams/with-upstreams.js'
import { runBackfill } from './backfill.js'
import { summarize } from './show.js'

export type BackfillFlags = { from: number; to?: number; factsOnly?: boolean }

/** Ended by a signal, as shells count it. */
const INTERRUPTED = 130

export async function backfill(
  config: Config,
  target: Target,
  flags: BackfillFlags,
): Promise<void> {
  const startMs = performance.now()
  const result = await withUpstreams(config, ({ polygon }) =>
    untilInterrupted((signal) =>
      runBackfill(
        {
          target,
          polygon,
          fromBlock: flags.from,
          toBlock: flags.to,
          factsOnly: flags.factsOnly,
          out: process.stderr,
        },
        signal,
      ),
    ),
  )
  console.log(summarize(result, (performance.now() - startMs) / 1_000))
}

/** The first signal ends the work where it can go on later; the second one ends the process. */
async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const message = 'Stopped. The same command goes on from here.'
  const stop = () => controller.abort(new OperatorError(message, INTERRUPTED))
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  try {
    return await work(controller.signal)
  } finally {
    process.off('SIGINT', stop)
    process.off('SIGTERM', stop)
  }
}
