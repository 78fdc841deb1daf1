import type { FactPair, FactRow } from '../chain/compare/compare-facts.js'
import type { ComparedIds } from '../chain/compare/compare-ids.js'
import { ID_COLUMNS } from '../chain/facts/fact-kind.js'
import { ID_TABLES, type IdTable } from '../chain/ids/queries.js'
import { blockOf, logIndexOf } from '../core/seq.js'
import { describeChanges } from './compare.js'
import { type Difference, KEY_NAMES, showName } from './finding.js'

/** A block that was compared. `txOf` has the transaction of a log by what the node says. */
type NodeBlock = { number: number; txOf: (seq: number) => string | undefined }

/** Of a pair whose rows are not the same. */
export function describeFact(block: NodeBlock, { table, columns, stored, fromNode }: FactPair): Difference {
  const keys = keysOfRow(block, table, columns, stored ?? fromNode)
  if (fromNode === undefined) return { keys, what: 'is stored, and the node does not give it' }
  if (stored === undefined) return { keys, what: 'is not stored, and the node gives it' }
  return { keys, what: describeChanges(columns, showRow(stored), showRow(fromNode), 'the node gives') }
}

function keysOfRow(
  { txOf }: NodeBlock,
  table: string,
  [orderColumn = '']: readonly string[],
  row: FactRow | undefined,
): Difference['keys'] {
  const { named = {} } = row ?? {}
  const at = Number(named[orderColumn])
  if (orderColumn !== 'seq') {
    const token = showName('tokens', named.token ?? '')
    return { block: at, row: `of ${table}`, ...(token === '' ? {} : { token }) }
  }
  const stored = named.tx_hash == null ? '' : `0x${named.tx_hash.slice(2)}`
  return { block: blockOf(at), transaction: txOf(at) ?? stored, log: logIndexOf(at), row: `of ${table}` }
}

const showRow = ({ named }: FactRow): Record<string, string | null> =>
  Object.fromEntries(
    Object.entries(named).map(([column, value]) => {
      if (value === null || ID_COLUMNS[column] !== 'tokens') return [column, value]
      const names = value.split(',').map((name) => showName('tokens', name))
      return [column, names.join()]
    }),
  )

export function describeIds(block: NodeBlock, { named, restated, unstated }: ComparedIds): Difference[] {
  const differences: Difference[] = []
  const add = (seq: number, table: IdTable, name: string, what: string) => {
    const transaction = block.txOf(seq)
    const log = transaction === undefined ? {} : { transaction, log: logIndexOf(seq) }
    const keys = { block: block.number, ...log, [KEY_NAMES[table]]: showName(table, name) }
    differences.push({ keys, what })
  }
  for (const table of ID_TABLES) {
    const { references, missing, wrongSince, unnamed } = named[table]
    for (const { name, seq } of missing) add(seq, table, name, 'has no row')
    for (const { name, since } of wrongSince) {
      const seq = references.get(name)?.seq ?? 0
      const row = `block ${blockOf(since)}, log ${logIndexOf(since)}`
      if (since > seq) add(seq, table, name, `is named here, and its row says since ${row}`)
    }
    for (const { name, since } of [...wrongSince, ...unnamed]) {
      if (blockOf(since) !== block.number) continue
      const what = 'is stored as first named here, and the node does not name it here first'
      add(since, table, name, what)
    }
  }
  for (const { seq, stored, expected } of restated) {
    const what =
      stored.condition !== expected.condition
        ? `condition is stored as ${stored.condition}, and the node gives ${expected.condition}`
        : stored.statedIn !== expected.statedIn
          ? `stated_in is stored as ${stored.statedIn}, and the node gives ${expected.statedIn} or earlier`
          : `outcome is stored as ${stored.outcome}, and the node gives ${expected.outcome}`
    add(seq, 'tokens', stored.name, what)
  }
  for (const { name } of unstated) {
    const what = 'is stored as stated in this block, and the node does not state it here'
    differences.push({ keys: { block: block.number, token: showName('tokens', name) }, what })
  }
  return differences
}
