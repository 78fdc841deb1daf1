import { type Command, InvalidArgumentError, Option } from 'commander'
import { parseAddressOption } from '../config/setting-flags.js'
import type { Timing } from '../lib/timing.js'
import type { WithDatabase } from '../store/with-database.js'
import type { AuditFlags } from './run-audit.js'

const WALLETS = 1_000
const BLOCKS = 200

/**
 * Adds `audit` to the command line. The table goes to stdout, the progress to stderr. `timing`: of
 * calls to the node; absent: that of the system.
 */
export function addLedgerCommands(program: Command, withDatabase: WithDatabase, timing?: Timing): Command {
  return program
    .command('audit')
    .description('compute the ledger again from the stored facts and print every difference')
    .option('--wallets <count>', 'this many wallets, chosen at random', parseCount, WALLETS)
    .option('--wallet <address>', 'this wallet; may be given several times', parseAddressOption)
    .addOption(
      new Option('--all', 'all wallets, all sums, the event log and all boards').conflicts([
        'wallets',
        'wallet',
      ]),
    )
    .option('--against-node', 'also read random blocks again from the node and compare their facts')
    .addOption(
      new Option('--blocks <count>', 'with --against-node: this many').argParser(parseCount).default(BLOCKS),
    )
    .addOption(
      new Option(
        '--seed <number>',
        'with --against-node: chooses the same blocks as an earlier run',
      ).argParser(parseCount),
    )
    .addHelpText('after', HELP)
    .action((flags: AuditFlags, command: Command) =>
      withDatabase(
        command,
        async (pool, { config }) => {
          const { runAudit } = await import('./run-audit.js')
          await runAudit(pool, config, flags, timing)
        },
        { acceptsDemo: true },
      ),
    )
}

const HELP = `
It reads the database as of one moment, beside a running service, and changes nothing. Exits with 1 when
something differs, or when the node does not answer --against-node.

Examples:
  $ auspex audit                        tables, and 1,000 wallets at random
  $ auspex audit --all                  everything that is stored, facts, boards and events included
  $ auspex audit --all --against-node   and random blocks as the node has them`

function parseCount(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number.')
}
