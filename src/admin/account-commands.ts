import { type Command, InvalidArgumentError, Option } from 'commander'
import { openAccount, setPlan, showAccount } from '../accounts/accounts.js'
import { PLAN_IDS } from '../accounts/plans.js'
import { selectAccounts } from '../accounts/queries.js'
import { USAGE_DAYS_KEPT } from '../accounts/usage-queries.js'
import type { Sql } from '../store/connection.js'
import type { WithDatabase } from '../store/with-database.js'
import { deleteAccount, resumeAccount, suspendAccount } from './account-state.js'
import { LIST_MAX, printRows, readAccount, readKey, readName, runAdmin, showTime } from './command-tools.js'
import { presentUsageSum } from './present.js'
import { readDimensions, selectUsageSums, USAGE_DIMENSIONS, type UsageQuery } from './usage.js'

const PLAN_HELP = `${PLAN_IDS.join(', ')}, or one of AUSPEX_PLANS`

/** Adds `accounts` to the command line. What scripts need goes to stdout, the rest to stderr. */
export function addAccountCommands(program: Command, withDatabase: WithDatabase): Command {
  const accounts = program
    .command('accounts')
    .description('create, list, change, suspend and delete accounts, and show what they use')
  accounts
    .command('create')
    .description('make an account and print its id')
    .requiredOption('--name <text>', 'who it is for', readName)
    .option('--plan <plan>', PLAN_HELP, 'free')
    .addHelpText('after', '\nExample:\n  $ auspex accounts create --name "trading desk" --plan growth\n')
    .action((options: { name: string; plan: string }, command: Command) =>
      runAdmin(withDatabase, command, async ({ sql, plans, nowMs }) => {
        const { name, plan } = options
        const id = await openAccount(sql, { name, plan, plans, nowMs })
        console.log(showAccount(id))
        console.error(`Next: auspex keys create --account ${showAccount(id)}`)
      }),
    )
  accounts
    .command('list')
    .description('show every account with its plan and the number of its active keys')
    .action((_options: object, command: Command) =>
      runAdmin(withDatabase, command, async ({ sql, nowMs }) => {
        const rows = await selectAccounts(sql, { limit: LIST_MAX, nowMs })
        const cells = rows.map((row) => [
          showAccount(row.id),
          row.plan,
          String(row.activeKeys),
          row.suspendedAt === null ? 'active' : `suspended ${showTime(row.suspendedAt)}`,
          row.createdAt.toISOString(),
          row.name,
        ])
        printRows(['ACCOUNT', 'PLAN', 'KEYS', 'STATE', 'CREATED', 'NAME'], cells)
      }),
    )
  accounts
    .command('set-plan')
    .description('change the plan; running services follow within a second')
    .argument('<account>', 'such as acc_7', readAccount)
    .argument('<plan>', PLAN_HELP)
    .action((accountId: number, plan: string, _options: object, command: Command) =>
      runAdmin(withDatabase, command, async ({ sql, plans, nowMs }) => {
        await setPlan(sql, { accountId, plan, plans, nowMs })
        console.error(`${showAccount(accountId)} is on the ${plan} plan now.`)
      }),
    )
  addStateCommands(accounts, withDatabase)
  addUsageCommand(accounts, withDatabase)
  return accounts
}

function addStateCommands(accounts: Command, withDatabase: WithDatabase): void {
  accounts
    .command('suspend')
    .description('refuse the keys of an account, close its sockets and pause its webhooks, within a second')
    .argument('<account>', 'such as acc_7', readAccount)
    .option('--reason <text>', 'shown to its clients', readName)
    .addHelpText('after', '\nExample:\n  $ auspex accounts suspend acc_7 --reason "invoice 12 is unpaid"\n')
    .action((accountId: number, { reason }: { reason?: string }, command: Command) =>
      runAdmin(withDatabase, command, async (tools) => {
        const { nowMs } = tools
        await suspendAccount(tools, { accountId, reason: reason ?? null, nowMs })
        const shown = showAccount(accountId)
        console.error(`${shown} is suspended. \`auspex accounts resume ${shown}\` ends that.`)
      }),
    )
  accounts
    .command('resume')
    .description('end a suspension; webhooks that it has paused see what happens from now on')
    .argument('<account>', 'such as acc_7', readAccount)
    .action((accountId: number, _options: object, command: Command) =>
      runAdmin(withDatabase, command, async (tools) => {
        await resumeAccount(tools, { accountId, nowMs: tools.nowMs })
        console.error(`${showAccount(accountId)} is active.`)
      }),
    )
  accounts
    .command('delete')
    .description('delete an account for good, with its keys and webhooks; what it used stays, without names')
    .argument('<account>', 'such as acc_7', readAccount)
    .requiredOption('--yes', 'needed, because it cannot be undone')
    .action((accountId: number, _options: object, command: Command) =>
      runAdmin(withDatabase, command, async (tools) => {
        await deleteAccount(tools, { accountId, nowMs: tools.nowMs })
        console.error(`${showAccount(accountId)} is deleted.`)
      }),
    )
}

type UsageOptions = Pick<UsageQuery, 'days' | 'by'> & {
  account?: number
  key?: number
  json?: true
  csv?: true
}

function addUsageCommand(accounts: Command, withDatabase: WithDatabase): void {
  accounts
    .command('usage')
    .description('show what accounts used, by account, key, UTC day and family of routes')
    .option('--account <account>', 'only one account', readAccount)
    .option('--key <key>', 'only one key', readKey)
    .option('--days <number>', `the last days, today included, 1 to ${USAGE_DAYS_KEPT}`, readDays, 30)
    .option('--by <list>', `what rows are summed by: ${USAGE_DIMENSIONS.join(', ')}`, readBy, [
      ...USAGE_DIMENSIONS,
    ])
    .option('--json', 'an array of objects')
    .addOption(new Option('--csv', 'lines with commas').conflicts('json'))
    .addHelpText(
      'after',
      `
Families are the groups of routes in /docs (trades, wallets, webhooks, ...), and ws_market and ws_onchain for
what sockets sent. Running services write their counts every 2 seconds.

Examples:
  $ auspex accounts usage --days 7 --by account,day
  $ auspex accounts usage --account acc_7 --csv > usage.csv
  $ auspex accounts usage --by account --json | jq 'max_by(.requests)'
`,
    )
    .action((options: UsageOptions, command: Command) =>
      runAdmin(withDatabase, command, async ({ sql, nowMs }) => {
        const { account: accountId, key: keyId, days, by, json, csv } = options
        const format = json === true ? 'json' : csv === true ? 'csv' : 'table'
        await printUsage(sql, { accountId, keyId, days, by, nowMs }, format)
      }),
    )
}

type ReportFormat = 'table' | 'json' | 'csv'

/** Prints usage as `auspex accounts usage` shows it: all of it for scripts, the first rows as a table. */
async function printUsage(sql: Sql, query: UsageQuery, format: ReportFormat): Promise<void> {
  const names = [...query.by, 'requests', 'bytes'] as const
  const rows: Record<string, unknown>[] = []
  for (let offset = 0; offset === rows.length; offset += LIST_MAX) {
    const part = await selectUsageSums(sql, query, { limit: LIST_MAX, offset })
    rows.push(...part.map(presentUsageSum))
    if (format === 'table') break
  }
  // No cell has a comma, a quote or a line break in it.
  const cells = rows.map((row) => names.map((name) => String(row[name])))
  if (format === 'json') console.log(JSON.stringify(rows, null, 1))
  else if (format === 'csv') console.log([names, ...cells].map((row) => row.join(',')).join('\n'))
  else if (rows.length === 0) console.error('Nothing was used in this time.')
  else
    printRows(
      [...names].map((name) => name.toUpperCase()),
      cells,
    )
}

function readBy(text: string): UsageQuery['by'] {
  const by = readDimensions(text)
  if (by !== undefined) return by
  throw new InvalidArgumentError(`It must be some of ${USAGE_DIMENSIONS.join(',')}.`)
}

function readDays(text: string): number {
  const days = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (days >= 1 && days <= USAGE_DAYS_KEPT) return days
  throw new InvalidArgumentError(`It must be a number from 1 to ${USAGE_DAYS_KEPT}.`)
}
