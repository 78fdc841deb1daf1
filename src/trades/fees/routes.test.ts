import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ADDRESS } from '../../../sim/contracts/addresses.js'
import { type ApiWorld, openApiWorld } from '../../../test/api-world.js'
import { testLists } from '../../../test/lists/test-lists.js'
import { mostCommon } from '../../../test/most-common.js'
import { eventOf } from '../../../test/reconcile/events.js'
import { addressIn, amountAt, topicAt, wordAt } from '../../../test/reconcile/log.js'
import { readHistory } from '../../../test/reconcile/read-history.js'
import { earnedFees, receiverFees } from './routes.js'

type ChargedFee = {
  id: string
  timestamp: string
  receiver: string
  amount: string
  token_id: string | null
  transaction_hash: string
}

let world: ApiWorld
/** Every fee as the logs of the node have it, the newest first. */
let charged: ChargedFee[]
beforeAll(async () => {
  world = await openApiWorld()
  charged = await readCharged()
}, 180_000)
afterAll(() => world.close())

async function readCharged(): Promise<ChargedFee[]> {
  const { simulator, universe } = world
  const fees: ChargedFee[] = []
  for await (const logs of readHistory(simulator.upstreams.polygon_http, universe.chain.firstNumber)) {
    for (const log of logs) {
      const name = eventOf(log)
      if (name !== 'V1 FeeCharged' && name !== 'V2 FeeCharged') continue
      const isV1 = name === 'V1 FeeCharged'
      const amount = amountAt(log, isV1 ? 1 : 0)
      if (amount === 0n) continue
      const token = isV1 ? BigInt(`0x${wordAt(log, 0)}`) : 0n
      fees.push({
        id: `${log.transactionHash}_${Number((log as { logIndex?: string }).logIndex)}`,
        timestamp: `${universe.chain.timestampSec(Number(log.blockNumber))}`,
        receiver: addressIn(topicAt(log, 1)),
        amount: `${amount}`,
        token_id: token === 0n ? null : `${token}`,
        transaction_hash: log.transactionHash,
      })
    }
  }
  return fees.reverse()
}

const readAll = async (path: string, query: object = {}) => {
  const rows: object[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const reply = await world.get(path, { limit: 300, ...query, cursor })
    expect(reply.statusCode, reply.body).toBe(200)
    const page = reply.json()
    rows.push(...page.data)
    cursor = page.next_cursor
  }
  return rows
}

const withoutReceiver = ({ receiver: _receiver, ...fee }: ChargedFee) => fee

describe('GET /v3/fees', () => {
  test('200: has every fee that a log charges, newest first', async () => {
    expect(charged.length).toBeGreaterThan(300)
    expect(new Set(charged.map(({ token_id }) => token_id === null))).toEqual(new Set([true, false]))
    expect(await readAll('/v3/fees')).toEqual(charged)
    expect(await readAll('/v3/fees', { order: 'asc' })).toEqual([...charged].reverse())
  })

  test('200: `after` and `before` are both included', async () => {
    const timeSec = Number(charged[Math.floor(charged.length / 2)]?.timestamp)
    const wanted = charged.filter(({ timestamp }) => Number(timestamp) === timeSec)
    expect(await readAll('/v3/fees', { after: timeSec, before: timeSec })).toEqual(wanted)
  })
})

describe('GET /v3/fees/{receiver}', () => {
  test('200: has the fees of that receiver and of no other', async () => {
    const receivers = [...new Set(charged.map(({ receiver }) => receiver))]
    expect(receivers.length).toBeGreaterThan(1)
    for (const receiver of receivers) {
      const own = charged.filter((fee) => fee.receiver === receiver).map(withoutReceiver)
      expect(await readAll(`/v3/fees/${receiver}`)).toEqual(own)
    }
  })

  test('200: an address that got nothing has no rows, in any letter case', async () => {
    expect(await readAll(`/v3/fees/0x${'9'.repeat(40)}`)).toEqual([])
    const receiver = mostCommon(charged.map((fee) => fee.receiver))
    const upper = await world.get(`/v3/fees/0x${receiver.slice(2).toUpperCase()}`, { limit: 1 })
    expect(upper.json()).toMatchObject({ receiver, rows_returned: 1 })
  })

  test('400: what is no address', async () => {
    const reply = await world.get('/v3/fees/0x12')
    expect(reply.statusCode).toBe(400)
    expect(reply.json().error).toContain('receiver')
  })
})

/** A history with so few fees that one page has them all. */
async function openSparseWorld(): Promise<ApiWorld> {
  const sparse = await openApiWorld()
  await sparse.ctx.sql`
    delete from fees
     where seq not in (select seq from fees where kind = 0 order by md5(seq::text) limit 250)`
  return sparse
}

testLists(openSparseWorld, [
  { list: earnedFees, path: () => '/v3/fees', paged: [{}, { order: 'asc' }], unpaged: [] },
  {
    list: receiverFees,
    path: () => `/v3/fees/${ADDRESS.feeReceiver}`,
    paged: [{}, { order: 'asc' }],
    unpaged: [],
  },
])
