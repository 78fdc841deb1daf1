import { type Command, InvalidArgumentError } from 'commander'
import { Registry } from 'prom-client'
import type { Config } from '../config.js'
import { OperatorError } from '../errors.js'
import { systemClock } from '../lib/clock.js'
import { createLog } from '../log.js'
import type { Target } from '../store/connection.js'
import { createUpstreamMetrics } from '../upstreams/transport/metrics.js'
import { Upstreams } from '../upstreams/upstreams.js'
import type { WithDatabase } from '../with-database.js'
import { type BackfillOptions, runBackfill } from './backfill/backfill.js'
import { summarize } from './backfill/show.js'

type Flags = { from: number; to?: number; factsOnly?: boolean }

const BLOCK_MAX = 2 ** 31 - 1
/** Ended by a signal, as shells count it. */
const INTERRUPTED = 130

/** Adds `backfill` to the command line. */
export function addChainCommands(program: Command, withDatabase: WithDatabase): Command {
  return program
    .command('backfill')
    .description('read older blocks of the chain, beside a running service or without one')
    .requiredOption('--from <block>', 'the first block', readBlock)
    .option('--to <block>', 'the last block; default: the one before the ledger', readBlock)
    .option('--facts-only', 'leave positions and profits as they are for now')
    .addHelpText(
      'after',
      '\nIt may be stopped at any time: the same command goes on where it was.\n' +
        'With --facts-only the ledger takes the blocks in when the command is run again without it.\n' +
        '\nExample:\n  $ auspex backfill --from 78000000\n',
    )
    .action((flags: Flags, command: Command) =>
      withDatabase(command, (_pool, { config, target }) => backfill(config, target, flags)),
    )
}

async function backfill(config: Config, target: Target, flags: Flags): Promise<void> {
  const metrics = createUpstreamMetrics(new Registry())
  const log = createLog('silent', process.stderr)
  const upstreams = new Upstreams(config, { metrics, clock: systemClock, log })
  const startMs = performance.now()
  const options: BackfillOptions = {
    target,
    polygon: upstreams.polygon,
    fromBlock: flags.from,
    toBlock: flags.to,
    factsOnly: flags.factsOnly,
    out: process.stderr,
  }
  try {
    const result = await untilInterrupted((signal) => runBackfill(options, signal))
    console.log(summarize(result, (performance.now() - startMs) / 1_000))
  } finally {
    await upstreams.close()
  }
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

function readBlock(text: string): number {
  const block = Number(text)
  if (/^\d+$/.test(text) && block <= BLOCK_MAX) return block
  throw new InvalidArgumentError(`It must be a number from 0 to ${BLOCK_MAX}.`)
}
