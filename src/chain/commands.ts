import { type Command, InvalidArgumentError } from 'commander'
import type { WithDatabase } from '../store/with-database.js'
import type { BackfillFlags } from './backfill/command.js'

const BLOCK_MAX = 2 ** 31 - 1

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
    .action((flags: BackfillFlags, command: Command) =>
      withDatabase(command, async (_pool, { config, target }) => {
        const { backfill } = await import('./backfill/command.js')
        await backfill(config, target, flags)
      }),
    )
}

function readBlock(text: string): number {
  const block = Number(text)
  if (/^\d+$/.test(text) && block <= BLOCK_MAX) return block
  throw new InvalidArgumentError(`It must be a number from 0 to ${BLOCK_MAX}.`)
}
