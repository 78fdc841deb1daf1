import { type Command, InvalidArgumentError } from 'commander'
import { systemClock } from '../core/clock.js'
import { formatTable } from '../lib/table.js'
import type { WithDatabase } from '../store/with-database.js'
import {
  createKey,
  NAME_LENGTH_MAX,
  NAME_PATTERN,
  retireKey,
  setPlan,
  showAccount,
  showKey,
} from './accounts.js'
import { isPlanId, PLAN_IDS, type PlanId } from './plans.js'
import { insertAccount, selectAccounts, selectKeys } from './queries.js'

const LIST_MAX = 10_000
const NAME = new RegExp(NAME_PATTERN, 'u')

/** Adds `accounts` and `keys` to the command line. What scripts need goes to stdout, the rest to stderr. */
export function addAccountCommands(program: Command, withDatabase: WithDatabase): Command[] {
  const accounts = program.command('accounts').description('create, list and change accounts')
  accounts
    .command('create')
    .description('make an account and print its id')
    .requiredOption('--name <text>', 'who it is for', readName)
    .option('--plan <plan>', PLAN_IDS.join(', '), readPlan, 'free')
    .addHelpText(
      'after',
      '\nExample:\n  $ auspex accounts create --name "trading desk" --plan growth\n',
    )
    .action((options: { name: string; plan: PlanId }, command: Command) =>
      withDatabase(command, async (pool) => {
        const id = await insertAccount(pool, { ...options, nowMs: systemClock.now() })
        console.log(showAccount(id))
        console.error(`Next: auspex keys create --account ${showAccount(id)}`)
      }),
    )
  accounts
    .command('list')
    .description('show every account with its plan and the number of its active keys')
    .action((_options: object, command: Command) =>
      withDatabase(command, async (pool) => {
        const rows = await selectAccounts(pool, LIST_MAX)
        const cells = rows.map((row) => [
          showAccount(row.id),
          row.plan,
          String(row.activeKeys),
          row.createdAt.toISOString(),
          row.name,
        ])
        printRows(['ACCOUNT', 'PLAN', 'KEYS', 'CREATED', 'NAME'], cells)
      }),
    )
  accounts
    .command('set-plan')
    .description('change the plan; running services follow within a second')
    .argument('<account>', 'such as acc_7', readAccount)
    .argument('<plan>', PLAN_IDS.join(', '), readPlan)
    .action((accountId: number, plan: PlanId, _options: object, command: Command) =>
      withDatabase(command, async (pool) => {
        await setPlan(pool, accountId, plan)
        console.error(`${showAccount(accountId)} is on the ${plan} plan now.`)
      }),
    )

  const keys = program.command('keys').description('create, list and revoke API keys')
  keys
    .command('create')
    .description('make a key and print it, this once')
    .requiredOption('--account <account>', 'such as acc_7', readAccount)
    .option('--name <text>', 'what it is for', readName, 'unnamed')
    .addHelpText('after', '\nExample:\n  $ KEY=$(auspex keys create --account acc_7 --name bot)\n')
    .action((options: { account: number; name: string }, command: Command) =>
      withDatabase(command, async (pool) => {
        const { account: accountId, name } = options
        const key = await createKey(pool, { accountId, name, nowMs: systemClock.now() })
        console.log(key.secret)
        console.error(`${showKey(key.id)} is ready. Store the key now: it cannot be shown again.`)
      }),
    )
  keys
    .command('list')
    .description('show keys, revoked ones too; never their secret')
    .option('--account <account>', 'only those of one account', readAccount)
    .action((options: { account?: number }, command: Command) =>
      withDatabase(command, async (pool) => {
        const rows = await selectKeys(pool, options.account, LIST_MAX)
        const cells = rows.map((row) => [
          showKey(row.id),
          showAccount(row.accountId),
          `…${row.hint}`,
          row.revokedAt === null ? 'active' : `revoked ${row.revokedAt.toISOString()}`,
          row.createdAt.toISOString(),
          row.name,
        ])
        printRows(['KEY', 'ACCOUNT', 'ENDS', 'STATE', 'CREATED', 'NAME'], cells)
      }),
    )
  keys
    .command('revoke')
    .description('end a key for good; running services follow within a second')
    .argument('<key>', 'such as key_12; `auspex keys list` shows them', readKey)
    .action((keyId: number, _options: object, command: Command) =>
      withDatabase(command, async (pool) => {
        const revokedAt = await retireKey(pool, keyId, systemClock.now())
        console.error(`${showKey(keyId)} is revoked since ${revokedAt.toISOString()}.`)
      }),
    )
  return [accounts, keys]
}

/** Prints a table, and says so when there is more than it shows. */
function printRows(header: string[], rows: string[][]): void {
  console.log(formatTable([header, ...rows]))
  if (rows.length === LIST_MAX) console.error(`Only the first ${LIST_MAX} are shown.`)
}

function readPlan(text: string): PlanId {
  if (isPlanId(text)) return text
  throw new InvalidArgumentError(`Allowed: ${PLAN_IDS.join(', ')}.`)
}

function readName(text: string): string {
  const name = text.trim()
  if (name !== '' && name.length <= NAME_LENGTH_MAX && NAME.test(name)) return name
  throw new InvalidArgumentError(
    `It must have 1 to ${NAME_LENGTH_MAX} characters and no control or bidirectional characters.`,
  )
}

const readAccount = (text: string): number => readId(text, 'acc')
const readKey = (text: string): number => readId(text, 'key')

function readId(text: string, prefix: string): number {
  const digits = new RegExp(`^(?:${prefix}_)?(\\d{1,9})$`).exec(text)?.[1]
  if (digits !== undefined) return Number(digits)
  throw new InvalidArgumentError(`It must look like ${prefix}_7.`)
}
