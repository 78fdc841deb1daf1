import type { Config } from '../config/config.js'
import { OperatorError } from '../core/errors.js'
import { Progress } from '../lib/progress.js'
import type { Pool } from '../store/connection.js'
import { withUpstreams } from '../upstreams/with-upstreams.js'
import { audit } from './audit.js'
import { count, type Finding } from './finding.js'
import { checkNode } from './node-check.js'
import { formatFindings } from './report.js'
import { EVERYTHING } from './span.js'
import type { WalletChoice } from './wallet-groups.js'

export type AuditFlags = { wallets: number; wallet?: string[]; all?: boolean }

export async function runAudit(pool: Pool, config: Config, flags: AuditFlags): Promise<void> {
  const findings = await auditAll(pool, flags)
  findings.push(...(await askNode(pool, config)))
  console.log(formatFindings(findings))
  const differences = findings.reduce((sum, finding) => sum + finding.differences, 0)
  if (differences > 0) throw new OperatorError(`${count(differences, 'difference')} found.`)
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
  return await withUpstreams(config, async ({ polygon }) =>
    polygon === undefined ? [] : [await checkNode(pool, polygon)],
  )
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
