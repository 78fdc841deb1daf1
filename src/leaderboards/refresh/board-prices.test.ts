import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { updateBoardPrices } from './board-prices.js'
import type { BoardStep } from './step.js'

const MINUTE_MS = 60_000

test('a look at prices goes on with the next refresh, and the next one begins five minutes after it, or when the clock was set back', async () => {
  const { sql, drop } = await createTestDatabase()
  // Of tokens 1 to 6 a few wallets have one each; token 5 is a combo.
  await sql`
    insert into tokens select t, t, 1, 0, 0, decode(lpad(to_hex(t), 64, '0'), 'hex') from generate_series(1, 6) t`
  await sql`
    insert into board_tokens (token, scopes, numerator, denominator)
    select t, case t when 5 then '{}' else '{0}'::integer[] end, 0, 1 from generate_series(1, 6) t`
  await sql`
    insert into board_positions
    select w, t, 0, 0, 1, true from generate_series(1, 4) w, generate_series(1, 6) t`
  const changePrices = () => sql`
    insert into last_prices select t, 1, 1, 2 from generate_series(1, 6) t
        on conflict (token) do update set shares = last_prices.shares + 1`

  const refresh = (minute: number): Promise<number[]> =>
    sql.begin(async (tx) => {
      await tx`create temp table changed_positions (wallet integer, token integer) on commit drop`
      const step: BoardStep = {
        tx,
        isRebuild: false,
        fromBlock: 1,
        fromRewind: 0n,
        heldBlock: 1,
        block: 1,
        blockTime: 1,
        rewind: 0n,
        epoch: 1,
        keptFrom: 0,
        nowMs: minute * MINUTE_MS,
      }
      return updateBoardPrices(step, { tokensMax: 4, positionsMax: 5 })
    })
  try {
    await changePrices()
    expect(await refresh(0)).toEqual([1, 2])
    expect(await refresh(1)).toEqual([3, 4])
    expect(await refresh(2)).toEqual([6])
    await changePrices()
    expect(await refresh(6)).toEqual([])
    expect(await refresh(7)).toEqual([1, 2])
    expect(await refresh(7)).toEqual([3, 4])
    expect(await refresh(7)).toEqual([6])
    await changePrices()
    expect(await refresh(1)).toEqual([1, 2])
  } finally {
    await drop()
  }
})
