import Fastify from 'fastify'
import { selectWalletId } from '../../src/lookups/ids.js'
import { resolveTrades, TRADE_VIEWS } from '../../src/lookups/trades/trade-lists.js'
import { createPool, type Target } from '../../src/store/connection.js'

const PAGE = { limit: 100, offset: 0, after: undefined }

/** Bare Fastify and postgres.js: the same SQL and the same rows, no key, no limit, no schema. */
const { target, connections } = JSON.parse(process.argv[2] ?? '') as {
  target: Target
  connections: number
}
const sql = createPool(target, connections, { isSerial: true })
const app = Fastify()
app.get<{ Params: { address: string } }>('/v3/wallets/:address/trades', async ({ params }) => {
  const wallet = await selectWalletId(sql, params.address)
  const scope = await resolveTrades(sql, {}, { wallet, roles: ['maker', 'taker'] }, undefined)
  if (scope === undefined) return { trades: [] }
  return { trades: (await TRADE_VIEWS.byTime.select(sql, scope, PAGE)).values }
})
const url = await app.listen({ host: '127.0.0.1', port: 0 })
console.log(new URL(url).port)
