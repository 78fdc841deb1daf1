import { endOfBlock, seqOf } from '../../core/seq.js'
import type { Sql } from '../../store/connection.js'
import { fromHex, hex, rowsAs } from '../../store/sql-words.js'
import type { BlockRange } from '../../upstreams/polygon/log-range.js'
import { compareFacts, countIdVotes, type IdVote } from '../compare/compare-facts.js'
import { type ComparedNames, compareIds, type StatedToken, selectIdUses } from '../compare/compare-ids.js'
import type { BatchFacts } from '../facts/registry.js'
import { IdRegistry } from '../ids/id-registry.js'
import {
  checksumSql,
  ID_TABLES,
  type IdTable,
  lockIds,
  NAME_COLUMNS,
  NEW_CHECKSUM,
  type NewId,
} from '../ids/queries.js'

/** Rows that were wrong, missing or too many, by table. */
export type Replacements = Map<string, number>

/** Up to this many blocks below the cursor, the blocks after the range are searched for an id. */
const SEARCHED_BLOCKS_MAX = 1_024

/**
 * Corrects the rows of the id tables by what the blocks of a range name. Ids keep their numbers where
 * a stored fact shows them, because rows of other blocks refer to them. The caller has locked the state;
 * `cursorBlock` is its last block. Returns how many rows were wrong, by table.
 */
export async function repairIds(
  tx: Sql,
  facts: BatchFacts,
  range: BlockRange,
  cursorBlock: number,
): Promise<Replacements> {
  await lockIds(tx)
  const before = await compareIds(tx, facts, range)
  const votes = countIdVotes(await compareFacts(tx, facts, range))
  const repaired: Replacements = new Map()
  for (const table of ID_TABLES) {
    const { missing, wrongSince, unnamed } = before.named[table]
    const assigned = await assignIds(tx, table, before.named[table], votes[table], seqOf(range.fromBlock, 0))
    await writeIds(tx, table, assigned)
    const ids = new Set(assigned.map(({ id }) => id))
    const left = unnamed.filter(({ id }) => !ids.has(id))
    repaired.set(table, missing.length + wrongSince.length + left.length)
  }
  const tokens = repaired.get('tokens') ?? 0
  repaired.set('tokens', tokens + before.restated.length + before.unstated.length)
  // Names that no stored fact has an id for get new ones.
  await new IdRegistry().resolve(tx, facts, { journal: false })

  const isNearCursor = cursorBlock - range.toBlock <= SEARCHED_BLOCKS_MAX
  const { named, restated, unstated } = await compareIds(tx, facts, range)
  await updateStated(tx, [
    ...restated.map(({ expected }) => expected),
    ...unstated.map((token) => moveStatement(token, range, isNearCursor)),
  ])
  for (const table of ID_TABLES) await moveUnnamed(tx, table, named[table].unnamed, range, isNearCursor)
  return repaired
}

/**
 * The rows for names that have none, or one with a wrong `since`. A name gets the id that most stored facts
 * have where the blocks name it, else that of an unnamed row with the `since` that the name should have.
 */
async function assignIds(
  tx: Sql,
  table: IdTable,
  { references, missing, wrongSince, unnamed }: ComparedNames,
  votes: readonly IdVote[],
  fromSeq: number,
): Promise<NewId[]> {
  const ownRows = new Map(wrongSince.map((row) => [row.name, row]))
  const wanted = new Map([...missing, ...wrongSince].map(({ name }) => [name, references.get(name)]))
  const assigned = new Map<string, NewId>()
  const taken = new Set<number>()
  const assign = (name: string, id: number, row: NewId | undefined) => {
    const seq = wanted.get(name)?.seq
    if (seq === undefined || assigned.has(name) || taken.has(id)) return
    // A row of another name that these blocks name too stays with it.
    if (row !== undefined && references.has(row.name) && !ownRows.has(row.name)) return
    assigned.set(name, { id, name, since: row !== undefined && row.since < fromSeq ? row.since : seq })
    taken.add(id)
  }
  const candidates = votes.filter(({ name }) => wanted.has(name))
  const rows = await selectByIds(tx, table, [...new Set(candidates.map(({ id }) => id))])
  for (const { name, id } of candidates) assign(name, id, rows.get(id))
  const bySeq = [...missing].sort((a, b) => a.seq - b.seq || a.ordinal - b.ordinal)
  for (const row of unnamed) {
    if (taken.has(row.id)) continue
    const lost = bySeq.find(({ name, seq }) => seq === row.since && !assigned.has(name))
    if (lost !== undefined) assign(lost.name, row.id, row)
  }
  removeDoubles(assigned, ownRows)
  for (const [name, { id }] of ownRows) {
    const seq = references.get(name)?.seq
    if (seq !== undefined && !assigned.has(name)) assigned.set(name, { id, name, since: seq })
  }
  return [...assigned.values()]
}

/** A name that has a row of its own leaves it only if that row gets another name. */
function removeDoubles(assigned: Map<string, NewId>, ownRows: ReadonlyMap<string, NewId>): void {
  for (let size = -1; size !== assigned.size; ) {
    size = assigned.size
    const ids = new Set([...assigned.values()].map(({ id }) => id))
    for (const [name, { id }] of assigned) {
      if (!ids.has(ownRows.get(name)?.id ?? id)) assigned.delete(name)
    }
  }
}

/** A later block may state it: the next batch finds out. Near the cursor no block is left. */
const moveStatement = (token: StatedToken, { toBlock }: BlockRange, isNearCursor: boolean): StatedToken =>
  isNearCursor
    ? { name: token.name, condition: null, statedIn: null, outcome: null }
    : { ...token, statedIn: toBlock + 1 }

/** Rows that these blocks do not name, though they claim it, belong to later blocks, or to none. */
async function moveUnnamed(
  tx: Sql,
  table: IdTable,
  unnamed: readonly NewId[],
  { toBlock }: BlockRange,
  isNearCursor: boolean,
): Promise<void> {
  if (unnamed.length === 0) return
  const ids = unnamed.map(({ id }) => id)
  const after = seqOf(toBlock + 1, 0)
  await tx`update ${tx(table)} set since = ${after} where id = any(${ids}::integer[])`
  if (!isNearCursor) return
  await tx`
    with used as (
      select id, min(seq) as since
        from (${selectIdUses(tx, table)}) as uses
       where seq >= ${after} and id = any(${ids}::integer[])
       group by id
    ), deleted as (
      delete from ${tx(table)} where id = any(${ids}::integer[]) and id not in (select id from used)
    )
    update ${tx(table)} as named set since = used.since from used where named.id = used.id`
}

async function selectByIds(tx: Sql, table: IdTable, ids: readonly number[]): Promise<Map<number, NewId>> {
  const rows = await tx<NewId[]>`
    select id, ${hex(tx, NAME_COLUMNS[table])} as name, since::float8
      from ${tx(table)} as named
     where id = any(${ids}::integer[])`
  return new Map(rows.map((row) => [row.id, row]))
}

/** Adds or changes the rows of these ids. */
async function writeIds(tx: Sql, table: IdTable, ids: readonly NewId[]): Promise<void> {
  if (ids.length === 0) return
  const numbers = ids.map(({ id }) => id)
  const column = tx(NAME_COLUMNS[table])
  // Two of them may have exchanged their names: these are shorter than any natural id, and differ.
  await tx`update ${tx(table)} set ${column} = int4send(id) where id = any(${numbers}::integer[])`
  await tx`
    insert into ${tx(table)} (id, ${column}, since, checksum)
    select id, ${fromHex(tx, 'name')}, since, ${tx.unsafe(NEW_CHECKSUM)}
      from ${rowsAs(tx, 'named', ids, { id: 'integer', name: 'text', since: 'bigint' })}
    on conflict (id) do update
       set ${column} = excluded.${column}, since = excluded.since, checksum = excluded.checksum`
}

const STATED_TYPES = { name: 'text', condition: 'text', statedIn: 'integer', outcome: 'smallint' }

async function updateStated(tx: Sql, tokens: readonly StatedToken[]): Promise<void> {
  if (tokens.length === 0) return
  await tx`
    update tokens
       set condition = conditions.id, stated_in = stated.stated_in, outcome = stated.outcome
      from ${rowsAs(tx, 'stated', tokens, STATED_TYPES)}
      left join conditions on conditions.condition = ${fromHex(tx, 'stated.condition')}
     where tokens.token = ${fromHex(tx, 'stated.name')}`
}

/** Of ids whose names were read again from the node and are right. Index: the one on `since`. */
export async function updateChecksums(tx: Sql, { fromBlock, toBlock }: BlockRange): Promise<void> {
  for (const table of ID_TABLES) {
    const checksum = tx.unsafe(checksumSql('id', NAME_COLUMNS[table]))
    await tx`
      update ${tx(table)} set checksum = ${checksum}
       where since between ${seqOf(fromBlock, 0)} and ${endOfBlock(toBlock)}
         and checksum is distinct from ${checksum}`
  }
}
