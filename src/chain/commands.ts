import { type Command, InvalidArgumentError } from 'commander'
import type { Config } from '../config/config.js'
import { OperatorError } from '../core/errors.js'
import type { Target } from '../store/connection.js'
import type { WithDatabase } from '../store/with-database.js'

type BackfillFlags = { from?: number; to?: number; again?: boolean; factsOnly?: boolean }

const BLOCK_MAX = 2 ** 31 - 1
/** Exit code of a process that a signal ended, by the convention of shells. */
const INTERRUPTED = 130

/** Adds `backfill` to the command line. */
export function addChainCommands(program: Command, withDatabase: WithDatabase): Command {
  return program
    .command('backfill')
    .description('read older blocks of the chain, beside a running service or without one')
    .option('--from <block>', 'the first block; with --again the default is the first stored one', parseBlock)
    .option(
      '--to <block>',
      'the last block; default: the one before the ledger, with --again the last booked one',
      parseBlock,
    )
    .option('--again', 'read stored blocks again, replace facts that differ, rebuild the ledger')
    .option('--facts-only', 'leave positions and profits as they are for now')
    .addHelpText(
      'after',
      '\nIt may be stopped at any time: the same command goes on where it was.\n' +
        'With --facts-only the ledger takes the blocks in when the command is run again without it.\n' +
        '\nExamples:\n  $ auspex backfill --from 78000000\n' +
        '  $ auspex backfill --again --from 78120000 --to 78120500\n',
    )
    .action((flags: BackfillFlags, command: Command) =>
      withDatabase(command, (_pool, { config, target }) => backfill(config, target, flags)),
    )
}

/** Imports what it needs when it runs, so that other commands start without it. */
async function backfill(config: Config, target: Target, flags: BackfillFlags): Promise<void> {
  const [{ runBackfill }, { summarize }, { withUpstreams }] = await Promise.all([
    import('./backfill/backfill.js'),
    import('./backfill/show.js'),
    import('../upstreams/with-upstreams.js'),
  ])
  const { from: fromBlock, to: toBlock, again, factsOnly } = flags
  const range = { fromBlock, toBlock, again, factsOnly }
  const startMs = performance.now()
  const result = await withUpstreams(config, ({ polygon }) =>
    untilInterrupted((signal) => runBackfill({ target, polygon, ...range, out: process.stderr }, signal)),
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

function parseBlock(text: string): number {
  const block = Number(text)
  if (/^\d+$/.test(text) && block <= BLOCK_MAX) return block
  throw new InvalidArgumentError(`It must be a number from 0 to ${BLOCK_MAX}.`)
}
