import { seqOf } from '../../core/seq.js'
import { groupBy } from '../../lib/group-by.js'
import type { Sql } from '../../store/connection.js'
import type { BlockRange } from '../../upstreams/polygon/log-range.js'
import type { BatchFacts } from '../facts/registry.js'
import type { Reference } from '../ids/id-references.js'
import { ID_TABLES, type IdTable, lockIds, type NewId, selectLastIds } from '../ids/queries.js'
import { BatchIds, type NamedIds } from './batch-ids.js'
import {
  deleteIds,
  insertNamed,
  renameIds,
  type StatedToken,
  selectByIds,
  selectFirstUses,
  selectVotes,
  updateSince,
  updateStated,
} from './id-queries.js'
import { addReplacements, type Replacements, stageFacts } from './replace-facts.js'

/** Up to this many blocks below the cursor, the blocks after the batch are searched for an id. */
const SEARCHED_BLOCKS_MAX = 1_024

/**
 * Corrects the rows of the id tables by what the blocks of a batch name. Ids keep their numbers where
 * anything shows them, because rows of other blocks refer to them. The caller has locked the state;
 * `cursorBlock` is its last block. Returns how many rows were wrong, by table.
 */
export async function mendIds(
  tx: Sql,
  facts: BatchFacts,
  range: BlockRange,
  cursorBlock: number,
): Promise<Replacements> {
  await lockIds(tx)
  const isNearCursor = cursorBlock - range.toBlock <= SEARCHED_BLOCKS_MAX
  const place: Place = { ...range, isNearCursor }
  const mended: Replacements = new Map()
  const ids = await BatchIds.read(tx, facts, range)
  if (!ids.hasAllNames) await stageFacts(tx, facts, ids)
  for (const table of ID_TABLES) {
    addReplacements(mended, table, await mendTable(tx, table, ids.named[table], place))
  }
  const { restated, unstated } = await BatchIds.read(tx, facts, range)
  await updateStated(tx, [...restated, ...unstated.map((token) => moveStatement(token, place))])
  addReplacements(mended, 'tokens', restated.length + unstated.length)
  for (const table of ID_TABLES) {
    await moveUnnamed(tx, table, (await BatchIds.read(tx, facts, range)).named[table], place)
  }
  return mended
}

type Place = BlockRange & { isNearCursor: boolean }

async function mendTable(tx: Sql, table: IdTable, named: NamedIds, { fromBlock }: Place): Promise<number> {
  const { missing, misplaced, unnamed, references } = named
  const bonds = pairBySeq(named)
  const isBound = new Set(bonds.map(({ name }) => name))
  const left = missing.filter(({ name }) => !isBound.has(name))
  const { found, created } = await findIds(tx, table, left, named, {
    taken: new Set(bonds.map(({ id }) => id)),
    fromSeq: seqOf(fromBlock, 0),
  })
  await renameIds(tx, table, [...bonds, ...found])
  await insertNamed(tx, table, created)
  const moved = misplaced.filter(({ name }) => !isBound.has(name))
  await updateSince(
    tx,
    table,
    moved.map(({ id, name, since }) => ({ id, since: references.get(name)?.seq ?? since })),
  )
  // Of rows that got other names some are among the unnamed.
  const others = new Set([...bonds, ...found].map(({ id }) => id))
  const rest = unnamed.filter(({ id }) => !others.has(id))
  return bonds.length + found.length + created.length + moved.length + rest.length
}

/**
 * Rows and names that contradict each other and have the same first place belong together: the name of
 * the row was changed, or two rows have changed their names. They are in the same order.
 */
function pairBySeq({ missing, misplaced, unnamed, references }: NamedIds): NewId[] {
  const names = [...missing, ...misplaced.flatMap(({ name }) => references.get(name) ?? [])].sort(
    (a, b) => a.place - b.place,
  )
  const rows = [...misplaced, ...unnamed].sort((a, b) => a.id - b.id)
  const rowsBySeq = groupBy(rows, ({ since }) => since)
  const bonds: NewId[] = []
  for (const [seq, group] of groupBy(names, (reference) => reference.seq)) {
    const others = rowsBySeq.get(seq) ?? []
    if (others.length !== group.length) continue
    for (const [index, { id }] of others.entries()) {
      bonds.push({ id, name: group[index]?.name ?? '', since: seq })
    }
  }
  return withoutDoubles(bonds, misplaced)
}

/** A name that has a row of its own changes it only if that row gets another name. */
function withoutDoubles(bonds: readonly NewId[], misplaced: readonly NewId[]): NewId[] {
  const rowOf = new Map(misplaced.map(({ name, id }) => [name, id]))
  for (let left = bonds; ; ) {
    const ids = new Set(left.map(({ id }) => id))
    const next = left.filter(({ name, id }) => ids.has(rowOf.get(name) ?? id))
    if (next.length === left.length) return next
    left = next
  }
}

/**
 * The id of a name without a row is the one that the stored rows of its facts have. It has no row
 * itself, or one with a name that these blocks do not name. Without such rows it is a new one.
 */
async function findIds(
  tx: Sql,
  table: IdTable,
  missing: readonly Reference[],
  { missing: provisional, references }: NamedIds,
  { taken, fromSeq }: { taken: Set<number>; fromSeq: number },
): Promise<{ found: NewId[]; created: NewId[] }> {
  const found: NewId[] = []
  const created: NewId[] = []
  if (missing.length === 0) return { found, created }
  const left = new Map(missing.map((reference) => [reference.name, reference]))
  const votes = await selectVotes(tx, table)
  const ids = [...new Set(votes.map(({ id }) => id))]
  const rows = new Map((await selectByIds(tx, table, ids)).map((row) => [row.id, row]))
  for (const vote of votes) {
    const reference = left.get(provisional[-1 - vote.provisional]?.name ?? '')
    const row = rows.get(vote.id)
    if (reference === undefined || taken.has(vote.id)) continue
    if (row !== undefined && references.has(row.name)) continue
    const { name, seq } = reference
    const id = {
      id: vote.id,
      name,
      since: row !== undefined && row.since < fromSeq ? row.since : seq,
    }
    ;(row === undefined ? created : found).push(id)
    left.delete(name)
    taken.add(vote.id)
  }
  let last = (await selectLastIds(tx))[table]
  for (const { id } of created) last = Math.max(last, id)
  for (const { name, seq } of left.values()) created.push({ id: ++last, name, since: seq })
  return { found, created }
}

/** A later block may state it: the next batch finds out. Near the cursor no block is left. */
const moveStatement = (token: StatedToken, { toBlock, isNearCursor }: Place): StatedToken =>
  isNearCursor
    ? { id: token.id, condition: null, statedIn: null, outcome: null }
    : { ...token, statedIn: toBlock + 1 }

/** Rows that these blocks do not name, though they claim it, belong to later blocks, or to none. */
async function moveUnnamed(
  tx: Sql,
  table: IdTable,
  { unnamed }: NamedIds,
  { toBlock, isNearCursor }: Place,
): Promise<void> {
  if (unnamed.length === 0) return
  const after = seqOf(toBlock + 1, 0)
  if (!isNearCursor) {
    await updateSince(
      tx,
      table,
      unnamed.map(({ id }) => ({ id, since: after })),
    )
    return
  }
  const ids = unnamed.map(({ id }) => id)
  const uses = await selectFirstUses(tx, table, ids, after - 1)
  await updateSince(
    tx,
    table,
    [...uses].map(([id, since]) => ({ id, since })),
  )
  await deleteIds(
    tx,
    table,
    ids.filter((id) => !uses.has(id)),
  )
}
