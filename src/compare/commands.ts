import { type Command, InvalidArgumentError } from 'commander'
import { parseAddressOption } from '../config/setting-flags.js'
import { OperatorError } from '../core/errors.js'
import type { Timing } from '../lib/timing.js'
import type { WithDatabase } from '../store/with-database.js'
import { DifferencesFound, NOT_COMPARED } from './cannot-compare.js'
import type { CompareFlags } from './run-compare.js'

const SETTLE_SEC = 120
const SETTLE_SEC_MAX = 7 * 86_400

/**
 * Adds `compare` to the command line. The report goes to stdout, the progress to stderr. `timing`: of
 * calls to the platform; absent: that of the system.
 */
export function addCompareCommand(program: Command, withDatabase: WithDatabase, timing?: Timing): Command {
  return program
    .command('compare')
    .description("compare wallets with the platform's own Data API and print every difference")
    .argument('<wallet...>', 'addresses of wallets', parseAddressOption)
    .option(
      '--settle <seconds>',
      'leave out what changed in this many seconds before the last booked block',
      parseSeconds,
      SETTLE_SEC,
    )
    .option('--json', 'print one JSON object in place of tables')
    .addHelpText('after', HELP)
    .action((wallets: string[], flags: CompareFlags, command: Command) =>
      withDatabase(
        command,
        async (pool, { config }) => {
          const { runCompare } = await import('./run-compare.js')
          await runCompare(pool, config, wallets, flags, { timing })
        },
        { acceptsDemo: true },
      ).catch(endAsNotCompared),
    )
}

/** A database that is missing must not look like a difference to a script. */
function endAsNotCompared(error: unknown): never {
  if (!(error instanceof OperatorError) || error instanceof DifferencesFound) throw error
  throw new OperatorError(error.message, NOT_COMPARED, { cause: error })
}

const HELP = `
Open positions, closed positions and trades of each wallet are read from AUSPEX_DATA_API_URL and
compared with this database, number by number:

  positions  status, current_size, total_size, avg_price, realized_pnl; current_price once there is
             a result
  trades     one row for each order of the wallet in a match: size, price, timestamp

Sizes are compared exactly. The platform cuts its averages, so avg_price may be 0.00001 off and
realized_pnl 0.00001 for each share that was bought; the price of a trade may be 0.0001 off.
Combos are not compared, nor are positions that began before the ledger does.

It runs beside a service on the same data folder, or without one; without --data also beside the
demo of this folder.
Exits with 0 when everything is the same, with 1 when something differs, and with 2 when a wallet
could not be compared, or none.

Examples:
  $ auspex compare 0x1111111111111111111111111111111111111111
  $ auspex compare --json $WALLET | jq '.wallets[].differences[] | select(.what == "trade")'
`

function parseSeconds(text: string): number {
  if (/^\d{1,7}$/.test(text) && Number(text) <= SETTLE_SEC_MAX) return Number(text)
  throw new InvalidArgumentError(`It must be a whole number from 0 to ${SETTLE_SEC_MAX}.`)
}
