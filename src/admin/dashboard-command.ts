import type { Command } from 'commander'
import { noAccount, showAccount, showKey } from '../accounts/accounts.js'
import { type AccountRow, selectAccountIds, selectAccounts, selectSignInKey } from '../accounts/queries.js'
import { CODE_MINUTES, createCode, signInUrl } from '../accounts/sign-in-codes.js'
import type { Config } from '../config/config.js'
import { OperatorError } from '../core/errors.js'
import { readServiceUpstreams } from '../store/data-folder.js'
import type { WithDatabase } from '../store/with-database.js'
import { type AdminTools, readAccount, runAdmin } from './command-tools.js'

/** Accounts that an error names. */
const NAMED_MAX = 5

/** Adds `dashboard` to the command line. The link goes to stdout, the rest to stderr. */
export const addDashboardCommand = (program: Command, withDatabase: WithDatabase): Command =>
  program
    .command('dashboard')
    .description('print a link that signs a browser in to an account, or makes the first one')
    .option('--account <account>', 'its id or its name; may be left out where there is one account')
    .addHelpText('after', '\nExample:\n  $ auspex dashboard --account "trading desk"\n')
    .action(({ account: wanted }: { account?: string }, command: Command) =>
      runAdmin(
        withDatabase,
        command,
        async (tools) => {
          const account = await findAccount(tools, wanted)
          const keyId = account === undefined ? null : await findKey(tools, account)
          console.log(signInUrl(findServiceUrl(tools.config), await createCode(tools.sql, keyId)))
          console.error(describeLink(account, keyId))
        },
        { acceptsDemo: true },
      ),
    )

/** `undefined`: there is no account yet. */
async function findAccount(tools: AdminTools, wanted: string | undefined): Promise<AccountRow | undefined> {
  const { sql, nowMs } = tools
  if (wanted !== undefined) {
    const accountId = await findAccountId(tools, wanted)
    const [account] = await selectAccounts(sql, { accountId, limit: 1, nowMs })
    if (account === undefined) throw noAccount(accountId)
    return account
  }
  const accounts = await selectAccounts(sql, { limit: NAMED_MAX + 1, nowMs })
  if (accounts.length > 1) {
    const named = accounts.slice(0, NAMED_MAX).map(({ id, name }) => `${showAccount(id)} (${name})`)
    const more = accounts.length > NAMED_MAX ? ' and more' : ''
    throw new OperatorError(`Choose one with --account: ${named.join(', ')}${more}.`)
  }
  return accounts[0]
}

async function findAccountId({ sql }: AdminTools, wanted: string): Promise<number> {
  const [found, second] = await selectAccountIds(sql, wanted, 2)
  if (found !== undefined && second !== undefined) {
    throw new OperatorError(
      `Several accounts have the name '${wanted}'. Name one by its id: \`auspex accounts list\` shows them.`,
    )
  }
  if (found !== undefined) return found.id
  if (/^(acc_)?\d{1,9}$/.test(wanted)) return readAccount(wanted)
  throw new OperatorError(`There is no account '${wanted}'. \`auspex accounts list\` shows all.`)
}

async function findKey({ sql, nowMs }: AdminTools, { id, suspendedAt }: AccountRow): Promise<number> {
  const account = showAccount(id)
  if (suspendedAt !== null) {
    throw new OperatorError(`${account} is suspended. \`auspex accounts resume ${account}\` ends that.`)
  }
  const keyId = await selectSignInKey(sql, id, nowMs)
  if (keyId !== undefined) return keyId
  throw new OperatorError(
    `${account} has no key that works. Make one: auspex keys create --account ${account}`,
  )
}

/** Where the service of the folder listens; else where the settings say that it would. */
function findServiceUrl({ publicUrl, databaseUrl, dataDir, host, port }: Config): string {
  if (publicUrl !== undefined) return publicUrl
  const { url } = databaseUrl === undefined ? readServiceUpstreams(dataDir) : {}
  return url ?? `http://${nameHost(host)}:${port}`
}

/** A name for an address that listens on all of them, and brackets around those of IPv6. */
function nameHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

function describeLink(account: AccountRow | undefined, keyId: number | null): string {
  const good = `It is good once, for ${CODE_MINUTES} minutes.`
  if (account === undefined || keyId === null) return `The link makes the first account and its key. ${good}`
  return `The link signs in as ${account.name} (${showAccount(account.id)}), with ${showKey(keyId)}. ${good}`
}
