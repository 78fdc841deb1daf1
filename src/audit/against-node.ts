import { attributeBatch } from '../chain/attribute/attribute-batch.js'
import { compareFacts, type FactPair, isSameFact } from '../chain/compare/compare-facts.js'
import { compareIds } from '../chain/compare/compare-ids.js'
import { chargeConversions } from '../chain/facts/conversion.js'
import { selectPools } from '../chain/facts/raw-log.js'
import { explainFault, MissingHistoryError } from '../chain/follow/missing-history.js'
import { type ReadBlock, readLogsOf } from '../chain/follow/read-blocks.js'
import { ID_TABLES } from '../chain/ids/queries.js'
import { readHeadsAndTip, toBatchBlock } from '../chain/read/headers.js'
import { REORG_BLOCKS_MAX } from '../core/blocks.js'
import { logIndexOf } from '../core/seq.js'
import { UpstreamError } from '../core/upstream-error.js'
import { backoffMs, systemTiming, type Timing } from '../lib/timing.js'
import type { Pool, Sql } from '../store/connection.js'
import { hex } from '../store/sql-words.js'
import { transact } from '../store/transaction.js'
import type { PolygonClient } from '../upstreams/polygon/client.js'
import type { Head } from '../upstreams/polygon/parse.js'
import { describeChanges } from './compare.js'
import { count, type Difference, type Finding, Tally } from './finding.js'
import { describeFact, describeIds } from './node-differences.js'

export type NodeAudit = {
  pool: Pool
  polygon: PolygonClient
  /**
   * Ascending. Left out: those that the node does not have, those that are not stored any more, and recent ones that
   * differ while the node has another chain than the one that is stored.
   */
  blocks: readonly number[]
  signal: AbortSignal
  onProgress?: ((blocks: number) => void) | undefined
  timing?: Timing | undefined
}

export type NodeFindings = {
  findings: Finding[]
  /** Blocks with a difference, ascending. */
  differing: readonly number[]
}

/** Blocks that are read and compared together. */
const CHUNK_BLOCKS = 16
const BACKOFF = { baseMs: 500, maxMs: 10_000 }
/** Failures in a row of one request to the node. */
const FAILURES_MAX = 5
/** While blocks are replaced, node and database disagree for a moment. */
const COMPARISONS_MAX = 4
const REORGANISED_MS = 2_000

/**
 * Reads blocks again from the node and compares every fact, id and header that is stored of them.
 * Each chunk of blocks is read first, then compared with one state of the database; blocks that a
 * reorganisation may have replaced in between are read again. Throws what the node's last failure
 * was when it does not answer.
 */
export async function auditAgainstNode(audit: NodeAudit): Promise<NodeFindings> {
  const { pool, blocks, onProgress } = audit
  const tallies = { blocks: new Tally(), facts: new Tally(), ids: new Tally() }
  const differing: number[] = []
  for (let start = 0; start < blocks.length; start += CHUNK_BLOCKS) {
    const chunk = blocks.slice(start, start + CHUNK_BLOCKS)
    for (const block of await compareUntilSettled(audit, chunk)) {
      tallies.blocks.rows++
      tallies.facts.rows += block.rows
      tallies.ids.rows += block.names
      for (const check of CHECKS) for (const each of block[check]) tallies[check].add(each)
      if (isDifferent(block)) differing.push(block.number)
    }
    onProgress?.(start + chunk.length)
  }
  const coverage = count(tallies.blocks.rows, 'block')
  const leftOut = blocks.length - tallies.blocks.rows
  const findings = [
    await tallies.blocks.toFinding(
      pool,
      'blocks at the node',
      `${coverage}${leftOut === 0 ? '' : `, ${leftOut} left out`}`,
    ),
    await tallies.facts.toFinding(
      pool,
      'facts at the node',
      `${count(tallies.facts.rows, 'row')} of ${coverage}`,
    ),
    await tallies.ids.toFinding(pool, 'ids at the node', `${count(tallies.ids.rows, 'name')} in ${coverage}`),
  ]
  return { findings, differing }
}

const CHECKS = ['blocks', 'facts', 'ids'] as const

type ComparedBlock = Record<(typeof CHECKS)[number], Difference[]> & {
  number: number
  /** A reorganisation may replace it. */
  isRecent: boolean
  /** How much was compared. */
  rows: number
  names: number
}

export const isDifferent = (block: ComparedBlock): boolean => CHECKS.some((check) => block[check].length > 0)

async function compareUntilSettled(
  { pool, polygon, signal, timing = systemTiming }: NodeAudit,
  numbers: readonly number[],
): Promise<ComparedBlock[]> {
  const settled: ComparedBlock[] = []
  let open = numbers
  for (let comparisons = 1; open.length > 0; comparisons++) {
    const { blocks, tip } = await readPatiently(polygon, open, await selectCursor(pool), signal, timing)
    const { compared, isSameChain } = await transact(pool, async (tx) => {
      await tx`set transaction isolation level repeatable read read only`
      await tx`set local statement_timeout = 0`
      return { compared: await compareBlocks(tx, blocks), isSameChain: await isStored(tx, tip) }
    })
    const isOpen = (block: ComparedBlock) => block.isRecent && isDifferent(block)
    settled.push(...compared.filter((block) => !isOpen(block)))
    const differing = compared.filter(isOpen)
    if (comparisons === COMPARISONS_MAX) {
      // The follower has not heard of a reorganisation yet, or this node is late: no row is wrong for that.
      if (isSameChain) settled.push(...differing.filter(({ number }) => number <= (tip?.number ?? 0)))
      break
    }
    open = differing.map(({ number }) => number)
    if (open.length > 0) await timing.sleep(REORGANISED_MS, signal)
  }
  return settled.sort((a, b) => a.number - b.number)
}

/** The block up to which the stored chain reaches. */
async function selectCursor(sql: Sql): Promise<number> {
  const [row] = await sql<{ block: number | null }[]>`select block from chain_state`
  return row?.block ?? 0
}

/** Whether the stored chain has this block of the node, and with it all blocks of the node below. */
async function isStored(sql: Sql, block: Head | undefined): Promise<boolean> {
  if (block === undefined) return false
  const rows = await sql`
    select from recent_blocks where number = ${block.number} and ${hex(sql, 'hash')} = ${block.hash}`
  return rows.length > 0
}

/** Blocks of the node, and its header of the block that the stored chain ends with; `undefined`: it lacks that. */
type NodeAnswer = { blocks: ReadBlock[]; tip: Head | undefined }

/**
 * The blocks from the node, without those that it has deleted or never had. Its failures are repeated
 * a few times.
 */
async function readPatiently(
  polygon: PolygonClient,
  numbers: readonly number[],
  cursor: number,
  signal: AbortSignal,
  timing: Timing,
): Promise<NodeAnswer> {
  let wanted = numbers
  for (let failures = 1; ; failures++) {
    try {
      return await readBlocksOf(polygon, wanted, cursor, signal)
    } catch (error) {
      signal.throwIfAborted()
      const fault = await explainFault(polygon, wanted[0] ?? 0, error, signal)
      if (fault instanceof MissingHistoryError) {
        wanted = wanted.filter((block) => block >= fault.firstBlock)
        continue
      }
      const isFinal = !(error instanceof UpstreamError) || !error.retryable
      if (isFinal || failures >= FAILURES_MAX) throw error
      await timing.sleep(backoffMs(BACKOFF, failures), signal)
    }
  }
}

async function readBlocksOf(
  polygon: PolygonClient,
  numbers: readonly number[],
  cursor: number,
  signal: AbortSignal,
): Promise<NodeAnswer> {
  if (numbers.length === 0) return { blocks: [], tip: undefined }
  const { heads, tip } = await readHeadsAndTip(polygon, numbers, cursor, signal)
  const blocks: ReadBlock[] = []
  while (blocks.length < heads.length) {
    blocks.push(...(await readLogsOf(polygon, heads.slice(blocks.length), { signal })))
  }
  return { blocks, tip }
}

/** Of the blocks that are covered now. In a transaction that sees one state. */
export async function compareBlocks(tx: Sql, read: readonly ReadBlock[]): Promise<ComparedBlock[]> {
  const numbers = await selectCovered(
    tx,
    read.map(({ head }) => head.number),
  )
  const covered = read.filter(({ head }) => numbers.has(head.number))
  const pools = await selectPools(tx)
  const recent = await selectRecentHeaders(tx, [...numbers])
  const compared: ComparedBlock[] = []
  for (const { head, logs, refused } of covered) {
    const { number } = head
    const range = { fromBlock: number, toBlock: number }
    const hashes = new Map(logs.map(({ at }) => [at.logIndex, at.txHash]))
    const block = { number, txOf: (seq: number) => hashes.get(logIndexOf(seq)) }
    const facts = attributeBatch({ logs, refused, blocks: [toBatchBlock(head)], pools })
    await chargeConversions(tx, facts)
    const pairs = (await compareFacts(tx, facts, range)).filter((pair) => !isOfEarlierAnswer(pair))
    const ids = await compareIds(tx, facts, range)
    compared.push({
      number,
      isRecent: number >= recent.lowest,
      rows: pairs.filter(({ stored }) => stored !== undefined).length,
      names: ID_TABLES.reduce((sum, table) => sum + ids.named[table].references.size, 0),
      blocks: compareHeader(recent.headers.get(number), head),
      facts: pairs.filter((pair) => !isSameFact(pair)).map((pair) => describeFact(block, pair)),
      ids: describeIds(block, ids),
    })
  }
  return compared
}

/** Logs that the block turned out not to have: they cannot be read again. */
const isOfEarlierAnswer = ({ table, stored, fromNode }: FactPair): boolean =>
  table === 'quarantine' && fromNode === undefined && stored?.named.reason === 'not_in_receipts'

async function selectCovered(sql: Sql, blocks: readonly number[]): Promise<Set<number>> {
  const rows = await sql<{ block: number }[]>`
    select block
      from unnest(${blocks}::integer[]) as block
     where exists (select from coverage where block between from_block and to_block)
       and block >= coalesce((select kept_from from chain_state), 0)`
  return new Set(rows.map(({ block }) => block))
}

type Header = { number: number; time: string; hash: string; parentHash: string }

async function selectRecentHeaders(sql: Sql, blocks: readonly number[]) {
  const headers = await sql<Header[]>`
    select number, time::text, ${hex(sql, 'hash')} as hash,
           ${hex(sql, 'parent_hash')} as parent_hash
      from recent_blocks
     where number = any(${blocks}::integer[])`
  const [row] = await sql<{ block: number | null }[]>`select block from chain_state`
  return {
    headers: new Map(headers.map((header) => [header.number, header])),
    lowest: (row?.block ?? 0) - REORG_BLOCKS_MAX,
  }
}

/** For recent blocks, which may have no facts. The header of a block with facts is compared among its facts. */
function compareHeader(stored: Header | undefined, head: Head): Difference[] {
  if (stored === undefined) return []
  const { number, hash, parentHash, timestampSec } = head
  const given = { number, time: String(timestampSec), hash, parentHash }
  const fields = ['time', 'hash', 'parentHash']
  const what = describeChanges(fields, stored, given, 'the node gives')
  return what === '' ? [] : [{ keys: { block: number, row: 'of recent_blocks' }, what }]
}
