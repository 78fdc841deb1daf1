import { type Command, InvalidArgumentError } from 'commander'
import { addServiceFlags } from '../../config/service-address.js'
import { parseAddressOption } from '../../config/setting-flags.js'
import type { TailFlags } from './run-tail.js'

const HELP = `
Types: trades, settlements, fills, prices, wallets, markets, large_trades, redemptions, deposits,
blocks, resolutions, combos, global; oracle for prices of coins; scores for scores of games; orderbook for books (with --token).

Events go to stdout, everything else to stderr. When the connection is lost, tail connects again and
goes on behind the last event that it printed; it says so if events are missing. Times are UTC.

Examples:
  $ auspex tail trades --min-size 1000
  $ auspex tail wallets --wallet 0x39d8… --wallet 0x8ada…
  $ auspex tail markets --slug btc-updown-5m-1794823200 --status pending
  $ auspex tail oracle --feed BTC/USD
  $ auspex tail scores --league nba
  $ auspex tail global --event-types redemption,oracle,reorg --json | jq .data

Exits with 0 after Ctrl-C or --count events, with 1 when the service refuses the key or the filters.`

/** Adds `tail` to the command line. */
export function addTailCommand(program: Command): Command {
  const command = program
    .command('tail')
    .description('print live events of a running service')
    .argument('[type]', 'what to follow', 'trades')
  return addFilterFlags(addServiceFlags(command))
    .option('-n, --last <count>', 'show this many past events first', parseWhole, 10)
    .option('--since-seq <seq>', 'go on behind the event with this number', parseWhole)
    .option('--count <count>', 'end after this many events', parseWhole)
    .option('--json', 'print messages as they are, one on each line')
    .addHelpText('after', REPEATED)
    .addHelpText('after', HELP)
    .action(async (type: string, flags: TailFlags) => {
      const { runTail } = await import('./run-tail.js')
      await runTail(type, flags)
    })
}

export const REPEATED =
  '\n--wallet, --token, --slug, --condition, --feed, --league and --game may be repeated.'

/** What narrows the events of a type, live or of the past. */
export const addFilterFlags = (command: Command): Command =>
  command
    .option('--wallet <address>', 'events of this wallet', parseAddressOption)
    .option('--token <id>', 'events of this outcome token', collect)
    .option('--slug <slug>', 'events of this market', collect)
    .option('--condition <id>', 'events of this condition', collect)
    .option('--feed <name>', 'prices of this coin, such as BTC/USD', collect)
    .option('--league <code>', 'scores of this league, such as nba', collect)
    .option('--game <slug>', 'scores of this game', collect)
    .option('--side <side>', 'BUY or SELL')
    .option('--status <status>', 'pending, confirmed or all')
    .option('--min-size <usd>', 'worth at least this many dollars', parseUsd)
    .option('--max-size <usd>', 'worth at most this many dollars', parseUsd)
    .option('--event-types <types>', 'these event types in place of those of the type', parseList)

const collect = (text: string, given: string[] = []): string[] => [...given, text]

const parseList = (text: string): string[] => text.split(',').map((item) => item.trim())

export function parseWhole(text: string): number {
  if (/^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text)
  throw new InvalidArgumentError('It must be a whole number.')
}

function parseUsd(text: string): number {
  if (/^\d{1,15}(\.\d+)?$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a number of dollars.')
}
