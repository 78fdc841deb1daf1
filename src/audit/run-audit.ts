import { setTimeout as sleep } from 'node:timers/promises'
import { checkCommandNode } from '../chain/follow/check-node-chain.js'
import { readState } from '../chain/write/state.js'
import type { Config } from '../config/config.js'
import { messageOf, OperatorError } from '../core/errors.js'
import { UpstreamError } from '../core/upstream-error.js'
import { Progress } from '../lib/progress.js'
import type { Timing } from '../lib/timing.js'
import type { Pool, Sql } from '../store/connection.js'
import { hex, selectBytes } from '../store/sql-words.js'
import type { PolygonClient } from '../upstreams/polygon/client.js'
import type { Upstreams } from '../upstreams/upstreams.js'
import { withUpstreams } from '../upstreams/with-upstreams.js'
import { auditAgainstNode } from './against-node.js'
import { audit } from './audit.js'
import { chooseBlocks } from './choose-blocks.js'
import { count, type Finding, formatFindings } from './finding.js'
import { EVERYTHING } from './scope.js'
import type { WalletChoice } from './wallet-groups.js'

export type AuditFlags = {
  wallets: number
  wallet?: string[]
  all?: boolean
  againstNode?: boolean
  blocks: number
  seed?: number
}

export async function runAudit(
  pool: Pool,
  config: Config,
  flags: AuditFlags,
  timing?: Timing,
): Promise<void> {
  const { againstNode = false } = flags
  if (againstNode && config.polygonUrl === undefined) {
    throw new OperatorError(
      '--against-node needs a node: set AUSPEX_POLYGON_URL, or --polygon-url, or run it beside a service that has one.',
    )
  }
  const findings = await auditAll(pool, flags)
  let failure: string | undefined
  const askNode = async ({ polygon }: Upstreams) => {
    if (polygon === undefined) return
    // An unreachable node says nothing about the ledger.
    findings.push(await checkNode(pool, polygon))
    if (!againstNode) return
    try {
      await checkCommandNode(pool, polygon, new AbortController().signal)
      findings.push(...(await compareRandomBlocks(pool, polygon, flags)))
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      failure = `The blocks could not be compared with the node: ${error.message}`
    }
  }
  await withUpstreams(config, askNode, { timing })
  console.log(formatFindings(findings))
  const differences = findings.reduce((sum, finding) => sum + finding.differences, 0)
  if (differences > 0) throw new OperatorError(`${count(differences, 'difference')} found.`)
  if (failure !== undefined) throw new OperatorError(failure)
}

/** The seed is shown with the findings: the same seed chooses the same blocks. */
async function compareRandomBlocks(
  pool: Pool,
  polygon: PolygonClient,
  { blocks: total, seed = Math.floor(Math.random() * SEED_MAX) }: AuditFlags,
): Promise<Finding[]> {
  const blocks = await chooseBlocks(pool, total, seed)
  const progress = new Progress({
    title: 'Comparing with the node',
    unit: 'blocks',
    total: blocks.length,
  })
  try {
    const { signal } = new AbortController()
    const onProgress = (done: number) => progress.show(done)
    const { findings } = await auditAgainstNode({ pool, polygon, blocks, signal, onProgress })
    return findings.map((finding) => ({ ...finding, coverage: `${finding.coverage}, seed ${seed}` }))
  } finally {
    progress.end()
  }
}

const SEED_MAX = 1_000_000

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

async function chooseWallets(
  pool: Pool,
  { all = false, wallet: addresses = [], wallets: count }: AuditFlags,
): Promise<WalletChoice> {
  if (all) return { kind: 'all' }
  if (addresses.length === 0) return { kind: 'sample', count }
  const rows = await pool<{ id: number; address: string }[]>`
    select id, ${hex(pool, 'address')} as address
      from wallets
     where address in (${selectBytes(pool, addresses)})`
  const known = new Set(rows.map(({ address }) => address))
  const unknown = addresses.find((address) => !known.has(address))
  if (unknown !== undefined) throw new OperatorError(`No fact names the wallet ${unknown}.`)
  return { kind: 'named', wallets: rows.map(({ id }) => id) }
}

type Node = Pick<PolygonClient, 'getBlock' | 'getBlockNumber'>

/** While blocks are replaced, node and ledger disagree for a moment. */
const TRIES = 4
const RETRY_MS = 2_000

/**
 * The last block that is booked is a block of the node's chain. A node that is not there yet, is far
 * ahead or gives no answer is no difference. Looks at what is booked now: a node has no snapshot.
 */
export async function checkNode(sql: Sql, node: Node, retryMs = RETRY_MS): Promise<Finding> {
  let answer = await compare(sql, node)
  for (let tries = 1; tries < TRIES && answer.difference !== undefined; tries++) {
    await sleep(retryMs)
    answer = await compare(sql, node)
  }
  const { coverage, difference } = answer
  const examples = difference === undefined ? [] : [difference]
  return { check: 'node', coverage, differences: examples.length, examples }
}

async function compare(sql: Sql, node: Node): Promise<{ coverage: string; difference?: string | undefined }> {
  const { cursor } = await readState(sql)
  if (cursor === undefined) return { coverage: 'nothing is booked yet' }
  try {
    const block = await node.getBlock(cursor.block)
    const lagBlocks = (await node.getBlockNumber()) - cursor.block
    if (block === undefined) return { coverage: `the node does not have block ${cursor.block} yet` }
    const coverage = `block ${cursor.block}, ${lagBlocks > 0 ? `${count(lagBlocks, 'block')} behind` : 'at the head'}`
    if (block.hash === cursor.hash) return { coverage }
    const difference = `block ${cursor.block} is booked as ${cursor.hash}, the node has ${block.hash}`
    return { coverage, difference }
  } catch (error) {
    return { coverage: `nothing: ${messageOf(error)}` }
  }
}
