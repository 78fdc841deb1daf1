import Fastify from 'fastify'
import { selectUsage } from '../../src/accounts/usage-queries.js'
import { createPool, type Target } from '../../src/store/connection.js'

/** Bare Fastify and postgres.js: the same SQL, no key, no limit, no schema. */
const { target, month, connections } = JSON.parse(process.argv[2] ?? '') as {
  target: Target
  month: string
  connections: number
}
const sql = createPool(target, connections)
const app = Fastify()
app.get('/usage', async () => {
  const rows = await selectUsage(sql, 1, month)
  return rows.map(({ meter, used }) => ({ meter, used: Number(used) }))
})
const url = await app.listen({ host: '127.0.0.1', port: 0 })
console.log(new URL(url).port)
