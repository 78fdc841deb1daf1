import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { selectTradeGroups, selectTrades, selectTradesByOrder, type TradeScope } from './queries.js'

const PAGE = { limit: 5, offset: 0, after: undefined }

test('every view of trades is valid SQL for takers, for makers and for both', async () => {
  const { sql, drop } = await createTestDatabase()
  for (const isTakerOrder of [true, false, undefined]) {
    const scope: TradeScope = { min: 0, until: 2 ** 40, wallet: 1, roles: ['maker', 'taker'], isTakerOrder }
    expect(await selectTrades(sql, 'market', scope, PAGE)).toEqual([])
    expect(await selectTradesByOrder(sql, scope, PAGE)).toEqual([])
    expect(await selectTradeGroups(sql, 'order_hash', scope, PAGE)).toEqual([])
  }
  await drop()
})
