import type { Sql } from '../store/connection.js'
import type { BlockRange } from '../upstreams/polygon/log-range.js'

/** Of this many chosen blocks one is any block, and the others have facts. */
const ANY_BLOCK_OF = 4

/**
 * This many different blocks, ascending, of all whose facts are here; the same ones for the same seed
 * and the same database. Most of them have facts; some may have none, which must be true as well.
 */
export async function chooseBlocks(sql: Sql, count: number, seed: number): Promise<number[]> {
  const ranges = await selectKeptRanges(sql)
  const total = ranges.reduce((sum, range) => sum + sizeOf(range), 0)
  if (total <= count) return ranges.flatMap(({ fromBlock, toBlock }) => numbersOf(fromBlock, toBlock))
  const random = randomFrom(seed)
  const chosen = new Set<number>()
  while (chosen.size < count) {
    const drawn: number[] = []
    for (let missing = count - chosen.size; missing > 0; missing--) {
      drawn.push(blockAt(ranges, random(total)))
    }
    const next = await selectNextWithFacts(sql, drawn)
    for (const [index, block] of drawn.entries()) {
      // After the last block with facts there is none: the drawn one then.
      chosen.add(chosen.size % ANY_BLOCK_OF === 0 ? block : (next[index] ?? block))
    }
    // Few blocks have facts, and they are all chosen already.
    for (const block of drawn) if (chosen.size < count) chosen.add(block)
  }
  return [...chosen].sort((a, b) => a - b)
}

/** The ranges that are covered, without what the retention has dropped. */
function selectKeptRanges(sql: Sql): Promise<BlockRange[]> {
  return sql<BlockRange[]>`
    select greatest(from_block, coalesce(kept_from, 0)) as from_block, to_block
      from coverage
     cross join chain_state
     where to_block >= coalesce(kept_from, 0)
     order by from_block`
}

/** The first block from each of these on that has facts, and is covered; null: there is none. Index: the primary key. */
async function selectNextWithFacts(sql: Sql, blocks: readonly number[]): Promise<(number | null)[]> {
  const rows = await sql<{ number: number | null }[]>`
    select (select number
              from blocks
             where number >= drawn
               and exists (select from coverage where number between from_block and to_block)
             order by number
             limit 1) as number
      from unnest(${blocks}::integer[]) with ordinality as each (drawn, ordinal)
     order by ordinal`
  return rows.map(({ number }) => number)
}

const sizeOf = ({ fromBlock, toBlock }: BlockRange): number => toBlock - fromBlock + 1

const numbersOf = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

/** The block at this index of all ranges together. */
function blockAt(ranges: readonly BlockRange[], index: number): number {
  let left = index
  for (const range of ranges) {
    if (left < sizeOf(range)) return range.fromBlock + left
    left -= sizeOf(range)
  }
  throw new Error(`the ranges have no block ${index}`)
}

/** Whole numbers from 0 on and below a bound (Mulberry32). */
function randomFrom(seed: number): (bound: number) => number {
  let state = seed | 0
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound)
  }
}
