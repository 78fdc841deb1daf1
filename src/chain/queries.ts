import type { Sql } from '../store/connection.js'

export type StateRow = {
  ledgerFrom: number | null
  block: number | null
  blockTime: number | null
  keptFrom: number | null
  epoch: number
}

/** How far the chain is booked. */
export async function selectState(sql: Sql): Promise<StateRow> {
  const [row] = await sql<StateRow[]>`
    select ledger_from, block, block_time, kept_from, epoch from chain_state`
  if (row === undefined) throw new Error('chain_state has lost its row')
  return row
}

export type RangeRow = {
  fromBlock: number
  toBlock: number
  fromTime: number | null
  toTime: number | null
}

const RANGES_MAX = 10_000

/** Ranges whose facts are here, lowest first, with the times of the blocks at their ends. */
export function selectCoverage(sql: Sql): Promise<RangeRow[]> {
  return sql<RangeRow[]>`
    select c.from_block, c.to_block,
           (select time from blocks where number >= c.from_block order by number limit 1) as from_time,
           (select time from blocks where number <= c.to_block order by number desc limit 1) as to_time
      from coverage c
     order by c.from_block
     limit ${RANGES_MAX}`
}

/** Time of the first block at or above this one that has a row; `undefined`: there is none. */
export async function selectTimeFrom(sql: Sql, block: number): Promise<number | undefined> {
  const [row] = await sql<{ time: number }[]>`
    select time from blocks where number >= ${block} order by number limit 1`
  return row?.time
}

/** `undefined`: no block that had facts is older than this time. */
export async function selectLastBlockBefore(sql: Sql, timeSec: number): Promise<number | undefined> {
  const [row] = await sql<{ number: number }[]>`
    select number from blocks where time < ${timeSec} order by time desc, number desc limit 1`
  return row?.number
}

/** Fills of each block from this one on that had any. */
export function selectFillsByBlock(sql: Sql, fromBlock: number): Promise<{ block: number; fills: number }[]> {
  return sql<{ block: number; fills: number }[]>`
    select (seq >> 20)::integer as block, count(*)::integer as fills
      from fills
     where seq >= ${fromBlock}::bigint << 20
     group by 1
     order by 1`
}

export async function countQuarantined(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*)::integer as count from quarantine`
  return row?.count ?? 0
}

/** Wallets that had a fact: their numbers have no gaps. */
export async function countWallets(sql: Sql): Promise<number> {
  const [row] = await sql<{ last: number }[]>`select max(id) as last from wallets`
  return row?.last ?? 0
}
