import { type Command, InvalidArgumentError } from 'commander'
import { addServiceFlags } from '../../config/service-address.js'
import { addFilterFlags, parseWhole, REPEATED } from '../tail/commands.js'
import type { ReplayFlags } from './run-replay.js'

const HELP = `
Types are those of tail. Events go to stdout in the order in which live sockets were sent them, the counts at
the end to stderr. Times are UTC, as 2026-01-31T12:00:00Z, or Unix seconds.

Examples:
  $ auspex replay trades --minutes 10 --speed max
  $ auspex replay global --from 2026-01-31T12:00:00Z --to 2026-01-31T13:00:00Z --speed 60
  $ auspex replay wallets --wallet 0x39d8… --minutes 60 --speed max --json | jq .data

Exits with 0 at the end, after Ctrl-C or --count events, with 1 when the service refuses the key, the range or the filters.`

/** Adds `replay` to the command line. */
export function addReplayCommand(program: Command): Command {
  const command = program
    .command('replay')
    .description('print events of the past as live sockets were sent them')
    .argument('[type]', 'what to follow', 'trades')
  return addFilterFlags(addServiceFlags(command))
    .option('--from <time>', 'begin of the range')
    .option('--to <time>', 'end of the range; now unless given')
    .option('--minutes <count>', 'the range is this many minutes long, before --to', parseWhole)
    .option('--speed <factor>', '1 to 100 times as fast as it happened, or max', parseSpeed, 1)
    .option('--count <count>', 'end after this many events', parseWhole)
    .option('--json', 'print messages as they are, one on each line')
    .addHelpText('after', REPEATED)
    .addHelpText('after', HELP)
    .action(async (type: string, flags: ReplayFlags) => {
      const { runReplay } = await import('./run-replay.js')
      await runReplay(type, flags)
    })
}

function parseSpeed(text: string): number | 'max' {
  if (text === 'max') return text
  const speed = Number(text)
  if (speed >= 1 && speed <= 100) return speed
  throw new InvalidArgumentError('It must be a number from 1 to 100, or max.')
}
