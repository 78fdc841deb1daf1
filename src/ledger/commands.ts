import { type Command, InvalidArgumentError, Option } from 'commander'
import { Registry } from 'prom-client'
import type { Config } from '../config.js'
import { OperatorError } from '../errors.js'
import { systemClock } from '../lib/clock.js'
import { Progress } from '../lib/progress.js'
import { createLog } from '../log.js'
import type { Pool } from '../store/connection.js'
import { createUpstreamMetrics } from '../upstreams/transport/metrics.js'
import { Upstreams } from '../upstreams/upstreams.js'
import type { WithDatabase } from '../with-database.js'
import { audit } from './audit/audit.js'
import { count, type Finding } from './audit/finding.js'
import { checkNode } from './audit/node-check.js'
import { formatFindings } from './audit/report.js'
import { EVERYTHING } from './audit/span.js'
import type { WalletChoice } from './audit/wallet-groups.js'

type AuditFlags = { wallets: number; wallet?: string[]; all?: boolean }

const WALLETS = 1_000

/** Adds `audit` to the command line. The table goes to stdout, the progress to stderr. */
export function addLedgerCommands(program: Command, withDatabase: WithDatabase): Command {
  return program
    .command('audit')
    .description('compute the ledger again from the stored facts and print every difference')
    .option('--wallets <count>', 'so many wallets, chosen at random', readCount, WALLETS)
    .option('--wallet <address>', 'this wallet; may be given several times', readAddress)
    .addOption(new Option('--all', 'all wallets and all sums').conflicts(['wallets', 'wallet']))
    .addHelpText('after', '\nExits with 1 when something differs.')
    .action((flags: AuditFlags, command: Command) =>
      withDatabase(command, async (pool, { config }) => {
        const findings = await auditAll(pool, flags)
        findings.push(...(await askNode(pool, config)))
        console.log(formatFindings(findings))
        const differences = findings.reduce((sum, finding) => sum + finding.differences, 0)
        if (differences > 0) throw new OperatorError(`${count(differences, 'difference')} found.`)
      }),
    )
}

async function auditAll(pool: Pool, flags: AuditFlags): Promise<Finding[]> {
  const wallets = await chooseWallets(pool, flags)
  let progress: Progress | undefined
  const onProgress = (done: number, total: number) => {
    progress ??= new Progress({ title: 'Auditing', unit: 'wallets', total })
    progress.show(done)
  }
  try {
    return await audit(pool, { wallets, span: EVERYTHING, onProgress })
  } finally {
    progress?.end()
  }
}

/** An unreachable node says nothing about the ledger. */
async function askNode(pool: Pool, config: Config): Promise<Finding[]> {
  const metrics = createUpstreamMetrics(new Registry())
  const log = createLog('silent', process.stderr)
  const upstreams = new Upstreams(config, { metrics, clock: systemClock, log })
  try {
    return upstreams.polygon === undefined ? [] : [await checkNode(pool, upstreams.polygon)]
  } finally {
    await upstreams.close()
  }
}

async function chooseWallets(
  pool: Pool,
  { all = false, wallet: addresses = [], wallets: count }: AuditFlags,
): Promise<WalletChoice> {
  if (all) return { kind: 'all' }
  if (addresses.length === 0) return { kind: 'sample', count }
  const rows = await pool<{ id: number; address: string }[]>`
    select id, '0x' || encode(address, 'hex') as address
      from wallets
     where address in (select decode(substr(name, 3), 'hex')
                         from unnest(${addresses}::text[]) as name)`
  const known = new Set(rows.map(({ address }) => address))
  const unknown = addresses.find((address) => !known.has(address))
  if (unknown !== undefined) throw new OperatorError(`No fact names the wallet ${unknown}.`)
  return { kind: 'named', wallets: rows.map(({ id }) => id) }
}

function readCount(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number.')
}

function readAddress(text: string, given: string[] = []): string[] {
  if (/^0x[0-9a-fA-F]{40}$/.test(text)) return [...given, text.toLowerCase()]
  throw new InvalidArgumentError('It must look like 0x and 40 hex digits.')
}
