import { type Command, Option } from 'commander'
import { createKey, retireKey, showAccount, showKey } from '../accounts/accounts.js'
import { selectOperatorKeys } from '../accounts/operator-queries.js'
import { createOperatorKey, retireOperatorKey, showOperatorKey } from '../accounts/operators.js'
import { KEY_SCOPES, type KeyScope, selectKeys } from '../accounts/queries.js'
import type { WithDatabase } from '../store/with-database.js'
import {
  LIST_MAX,
  printRows,
  readAccount,
  readExpiry,
  readKey,
  readName,
  readOperatorKey,
  runAdmin,
  showTime,
} from './command-tools.js'
import { keyStateOf } from './present.js'

const EXPIRY = '--expires <time>'
const EXPIRY_HELP = 'when it stops working: 30d or 12h from now, or a time such as 2027-01-31T00:00:00Z'

/** Adds `keys` and `operator-keys` to the command line. What scripts need goes to stdout, the rest to stderr. */
export function addKeyCommands(program: Command, withDatabase: WithDatabase): Command[] {
  return [addAccountKeys(program, withDatabase), addOperatorKeys(program, withDatabase)]
}

type CreateOptions = { account: number; name: string; expires?: number; scope: KeyScope }

function addAccountKeys(program: Command, withDatabase: WithDatabase): Command {
  const keys = program.command('keys').description('create, list and revoke API keys of accounts')
  const scope = new Option('--scope <scope>', 'read: it may not change webhooks, pools or listeners')
  keys
    .command('create')
    .description('make a key and print it, this once')
    .requiredOption('--account <account>', 'such as acc_7', readAccount)
    .option('--name <text>', 'what it is for', readName, 'unnamed')
    .option(EXPIRY, EXPIRY_HELP, readExpiry)
    .addOption(scope.choices(KEY_SCOPES).default('full'))
    .addHelpText(
      'after',
      '\nExamples:\n  $ KEY=$(auspex keys create --account acc_7 --name bot)\n' +
        '  $ auspex keys create --account acc_7 --name dashboard --scope read --expires 90d\n',
    )
    .action((options: CreateOptions, command: Command) =>
      runAdmin(withDatabase, command, async ({ sql, plans, nowMs }) => {
        const { account: accountId, name, expires: expiresAtMs, scope } = options
        const key = await createKey(sql, { accountId, name, scope, expiresAtMs, plans, nowMs })
        printSecret(showKey(key.id), key.secret)
      }),
    )
  keys
    .command('list')
    .description('show keys, revoked ones too; never their secret')
    .option('--account <account>', 'only those of one account', readAccount)
    .action((options: { account?: number }, command: Command) =>
      runAdmin(withDatabase, command, async ({ sql, nowMs }) => {
        const rows = await selectKeys(sql, options.account, LIST_MAX)
        const cells = rows.map((row) => [
          showKey(row.id),
          showAccount(row.accountId),
          row.scope,
          ...showCommon(row, nowMs),
        ])
        printRows(['KEY', 'ACCOUNT', 'SCOPE', ...COMMON_COLUMNS], cells)
      }),
    )
  keys
    .command('revoke')
    .description('end a key for good; running services follow within a second')
    .argument('<key>', 'such as key_12; `auspex keys list` shows them', readKey)
    .action((keyId: number, _options: object, command: Command) =>
      runAdmin(withDatabase, command, async ({ sql, nowMs }) => {
        const revokedAt = await retireKey(sql, keyId, nowMs)
        console.error(`${showKey(keyId)} is revoked since ${revokedAt.toISOString()}.`)
      }),
    )
  return keys
}

function addOperatorKeys(program: Command, withDatabase: WithDatabase): Command {
  const keys = program
    .command('operator-keys')
    .description('create, list and revoke keys for /v1/admin; they open no other route')
  keys
    .command('create')
    .description("make an operator's key and print it, this once")
    .requiredOption('--name <text>', 'who or what it is for', readName)
    .option(EXPIRY, EXPIRY_HELP, readExpiry)
    .addHelpText(
      'after',
      '\nExample:\n  $ OPERATOR_KEY=$(auspex operator-keys create --name billing)\n' +
        '  $ curl -H "x-api-key: $OPERATOR_KEY" http://127.0.0.1:8080/v1/admin/usage\n',
    )
    .action(({ name, expires }: { name: string; expires?: number }, command: Command) =>
      runAdmin(withDatabase, command, async ({ sql, nowMs }) => {
        const key = await createOperatorKey(sql, { name, expiresAtMs: expires, nowMs })
        printSecret(showOperatorKey(key.id), key.secret)
      }),
    )
  keys
    .command('list')
    .description("show operators' keys, revoked ones too; never their secret")
    .action((_options: object, command: Command) =>
      runAdmin(withDatabase, command, async ({ sql, nowMs }) => {
        const rows = await selectOperatorKeys(sql, LIST_MAX)
        const cells = rows.map((row) => [showOperatorKey(row.id), ...showCommon(row, nowMs)])
        printRows(['KEY', ...COMMON_COLUMNS], cells)
      }),
    )
  keys
    .command('revoke')
    .description("end an operator's key for good, at once")
    .argument('<key>', 'such as op_1; `auspex operator-keys list` shows them', readOperatorKey)
    .action((id: number, _options: object, command: Command) =>
      runAdmin(withDatabase, command, async ({ sql, nowMs }) => {
        const revokedAt = await retireOperatorKey(sql, id, nowMs)
        console.error(`${showOperatorKey(id)} is revoked since ${revokedAt.toISOString()}.`)
      }),
    )
  return keys
}

function printSecret(id: string, secret: string): void {
  console.log(secret)
  console.error(`${id} is ready. Store the key now: it cannot be shown again.`)
}

type KeyRow = { hint: string; name: string; createdAt: Date } & {
  [time in 'expiresAt' | 'lastUsedAt' | 'revokedAt']: Date | null
}

/** What keys of accounts and of operators have in common. */
const COMMON_COLUMNS = ['ENDS', 'STATE', 'EXPIRES', 'LAST USED', 'CREATED', 'NAME']

function showCommon(key: KeyRow, nowMs: number): string[] {
  const state = keyStateOf(key, nowMs)
  return [
    `…${key.hint}`,
    state === 'revoked' ? `revoked ${showTime(key.revokedAt)}` : state,
    ...[key.expiresAt, key.lastUsedAt, key.createdAt].map(showTime),
    key.name,
  ]
}
