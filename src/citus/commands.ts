import type { Command } from 'commander'
import type { WithDatabase } from '../store/with-database.js'

/** Adds `citus setup` to the command line; returns the command that takes the settings. */
export function addCitusCommands(program: Command, withDatabase: WithDatabase): Command {
  return program
    .command('citus')
    .description('several machines for one database, with the extension Citus')
    .command('setup')
    .description('distribute the tables of a database without facts over the workers of its coordinator')
    .addHelpText('after', HELP)
    .action((_flags: object, command: Command) =>
      withDatabase(command, async (pool) => {
        const { setupCitus } = await import('./setup.js')
        const done = await setupCitus(pool)
        if (done === undefined) {
          console.log('The tables are distributed already: nothing was done.')
          return
        }
        const { distributed, workers, shards } = done
        console.log(
          `Distributed by wallet over ${workers} workers, in ${shards} shards each: ${distributed.join(', ')}.`,
        )
      }),
    )
}

const HELP = `
DATABASE_URL names the coordinator. \`auspex up\` has run on the database once, without a node, and is
stopped. The number of shards is Citus' own setting citus.shard_count. What is distributed stays so.

docs/scaling.md says what is distributed, what is not and why, and when read replicas are better.

Example:
  $ DATABASE_URL=postgres://auspex@coordinator/auspex auspex citus setup
`
