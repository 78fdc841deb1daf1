import { type Command, InvalidArgumentError, Option } from 'commander'
import { addServiceFlags } from '../../config/service-address.js'
import { WEBHOOK_EVENT_TYPE_NAMES } from '../../webhooks/event-types.js'
import { WATCHED_STATUSES } from '../../webhooks/filters.js'
import type { ListenFlags } from './run-listen.js'

const HELP = `
--wallet, --token, --condition, --event-slug, --tag, --builder and --receiver may be repeated.

Event types: ${wrap(WEBHOOK_EVENT_TYPE_NAMES, 86)}.

Opens no port and needs no public address: the command asks the service for events and sends each one on
to your receiver, once, with the body and the headers that a webhook has. It prints the secret that they are
signed with; --secret or AUSPEX_WEBHOOK_SECRET keeps one over several runs. What a receiver answers goes to
stdout, everything else to stderr. Times are UTC. When the service restarts, listen connects again.

Examples:
  $ auspex listen --forward-to http://localhost:3000/hook --events trade
  $ auspex listen --forward-to localhost:3000/hook --events large_trade --min-amount-usd 5000
  $ auspex listen --forward-to localhost:3000/hook --events wallet_activity,pnl_change --wallet 0x39d8…
  $ auspex listen --forward-to localhost:3000/hook --events market_resolved --tag crypto --json | jq .

Exits with 0 after Ctrl-C or --count events, with 1 when the service refuses the key or the filters.`

/** Adds `listen` to the command line. */
export function addListenCommand(program: Command): Command {
  const command = program
    .command('listen')
    .description('forward events as signed webhooks to a receiver on this machine')
    .requiredOption('--forward-to <url>', 'your receiver, such as http://localhost:3000/hook')
    .requiredOption('--events <types>', 'event types, with commas between them', parseNames)
    .option('--wallet <address>', 'of this wallet', collectText)
    .option('--token <id>', 'of this outcome token', collectText)
    .option('--condition <id>', 'of this condition', collectText)
    .option('--event-slug <slug>', 'of the markets of this event', collectText)
    .option('--tag <slug>', 'of markets with this tag', collectText)
    .option('--builder <code>', 'routed through this builder', collectText)
    .option('--receiver <address>', 'fees that this address is paid', collectText)
    .option('--min-amount-usd <usd>', 'worth at least this many dollars', parseAmount)
    .option('--min-fee-usd <usd>', 'fees of at least this many dollars', parseAmount)
    .option('--min-delta-pct <percent>', 'prices that move by this many percent', parseAmount)
    .option('--min-pnl-change-usd <usd>', 'profits that change by this many dollars', parseAmount)
    .option('--min-total-usd <usd>', 'orders of at least this many dollars', parseAmount)
    .addOption(new Option('--side <side>', "the maker's side").choices(['BUY', 'SELL']))
    .addOption(new Option('--status-from <status>', 'what a position was').choices(WATCHED_STATUSES))
    .addOption(new Option('--status-to <status>', 'what a position is').choices(WATCHED_STATUSES.slice(1)))
    .option('--confirmations <blocks>', 'wait for this many blocks on top', parseCount)
    .addOption(
      new Option('--secret <secret>', 'sign with this secret in place of a new one').env(
        'AUSPEX_WEBHOOK_SECRET',
      ),
    )
    .option('--count <count>', 'end after this many events', parseCount)
    .option('--json', 'print JSON, one object on each line; the first has the secret')
  return addServiceFlags(command)
    .addHelpText('after', HELP)
    .action(async (flags: ListenFlags) => {
      const { runListen } = await import('./run-listen.js')
      await runListen(flags)
    })
}

const collectText = (text: string, given: string[] = []): string[] => [...given, text]

function parseNames(text: string): string[] {
  const names = text.split(',').map((name) => name.trim())
  const known: readonly string[] = WEBHOOK_EVENT_TYPE_NAMES
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length === 0) return names
  throw new InvalidArgumentError(`Event types are ${known.join(', ')}.`)
}

function parseAmount(text: string): number {
  if (/^\d{1,12}(\.\d{1,6})?$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a number with at most 6 decimals.')
}

function parseCount(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number.')
}

/** Names with commas between them, in lines of at most this width. */
function wrap(names: readonly string[], width: number): string {
  return names.reduce((text, name) => {
    const line = text.slice(text.lastIndexOf('\n') + 1)
    return `${text},${line.length + name.length + 2 > width ? '\n' : ' '}${name}`
  })
}
