import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Registry } from 'prom-client'
import { Pool as HttpPool } from 'undici'
import { Plans } from '../src/accounts/plans.js'
import { systemClock } from '../src/core/clock.js'
import { FloodLog } from '../src/lib/flood-log.js'
import { createLog } from '../src/lib/log.js'
import { createPool, type Pool } from '../src/store/connection.js'
import { SecretBox } from '../src/store/secret-box.js'
import { transact } from '../src/store/transaction.js'
import { Dispatcher } from '../src/webhooks/deliver/dispatcher.js'
import { type DeliveryDraft, enqueue } from '../src/webhooks/deliver/enqueue.js'
import { createDeliveryMetrics } from '../src/webhooks/deliver/metrics.js'
import { Sender } from '../src/webhooks/deliver/sender.js'
import { signatureHeaders } from '../src/webhooks/deliver/signature.js'
import type { Bench } from './lib/bench.js'
import { BenchServer } from './lib/bench-server.js'
import { tidy, tidyLater } from './lib/tidy.js'

const WEBHOOKS = 20
/** Of one round, to all webhooks together. */
const DELIVERIES = 5_000
/** What webhooks allow: ten of each. */
const IN_FLIGHT = WEBHOOKS * 10
const SECRET = 'whsec_4f1d2c3b5a69788796a5b4c3d2e1f00f'

export const webhookDelivery: Bench = {
  name: 'webhook-delivery',
  promise:
    'deliveries from the queue to the receiver, signed and with their history written, against a bare undici loop that posts the same bodies',
  ratioMin: 0.4,
  unit: 'deliveries/s',
  async prepare() {
    const port = await startReceiver()
    const server = await BenchServer.start()
    const target = await server.keepDatabase('delivery', 'delivery_', async () => undefined)
    const pool = createPool(target, 4)
    tidyLater(() => pool.end({ timeout: 0 }))
    const webhooks = await insertWebhooks(pool, port)
    const dispatcher = startDispatcher(pool)
    const http = new HttpPool(`http://127.0.0.1:${port}`, { connections: IN_FLIGHT })
    tidyLater(() => http.close())
    return {
      ours: () => deliver(pool, dispatcher, createDrafts(webhooks)),
      yardstick: () => post(http, createDrafts(webhooks)),
      close: tidy,
    }
  },
}

export async function startReceiver(): Promise<number> {
  const child = fork(join(import.meta.dirname, 'webhook-delivery/receiver.js'))
  tidyLater(async () => void child.kill())
  const [port] = await once(child, 'message')
  return port
}

const createSecretBox = (sql: Pool) =>
  new SecretBox({ config: { secretKey: '5f'.repeat(32), dataDir: '' }, store: { sql } })

export async function insertWebhooks(sql: Pool, port: number) {
  const box = createSecretBox(sql)
  const now = new Date()
  const [account] = await sql<{ id: number }[]>`
    insert into accounts (name, plan, created_at) values ('bench', 'enterprise', ${now}) returning id`
  const accountId = account?.id ?? 0
  const webhooks: DeliveryDraft['webhook'][] = []
  for (let n = 0; n < WEBHOOKS; n++) {
    const name = `wh_${n}`
    const [row] = await sql<{ id: number }[]>`
      insert into webhooks (name, account_id, url, event_types, filters, secret, active, created_at,
                            updated_at, from_seq, active_since)
      values (${name}, ${accountId}, ${`http://127.0.0.1:${port}/${n}`}, '{trade}', '{}',
              ${await box.encrypt(SECRET, name)}, true, ${now}, ${now}, 0, ${now})
      returning id`
    webhooks.push({ id: row?.id ?? 0, accountId })
  }
  return webhooks
}

function startDispatcher(sql: Pool): Dispatcher {
  const log = createLog('error', process.stderr)
  const sender = new Sender({ networks: ['127.0.0.0/8'] })
  const dispatcher = new Dispatcher({
    store: { sql },
    secretBox: createSecretBox(sql),
    sender,
    clock: systemClock,
    log,
    metrics: createDeliveryMetrics(new Registry()),
    floodLog: new FloodLog(log),
  })
  const ending = new AbortController()
  const running = dispatcher.run(ending.signal)
  tidyLater(async () => {
    ending.abort()
    await running
    sender.close()
  })
  return dispatcher
}

/** The time runs from the commit of the queue until nothing waits and everything is written. */
async function deliver(sql: Pool, dispatcher: Dispatcher, drafts: readonly DeliveryDraft[]) {
  await transact(sql, (tx) => enqueue(tx, drafts, { plans: new Plans(), nowMs: Date.now() }))
  const startedMs = performance.now()
  dispatcher.wake()
  await untilDelivered(sql)
  const seconds = (performance.now() - startedMs) / 1000
  const [row] = await sql<{ count: bigint }[]>`
    select count(*) from webhook_attempts where not success`
  if (row?.count !== 0n) throw new Error(`${row?.count} attempts failed`)
  return drafts.length / seconds
}

/** Nothing waits, and everything is written. */
export async function untilDelivered(sql: Pool): Promise<void> {
  for (;;) {
    const [lane] = await sql`select from webhook_lanes where next_at is not null limit 1`
    if (lane === undefined) return
    await wait(5)
  }
}

/** As many at a time as the webhooks allow, with headers as long. */
async function post(http: HttpPool, drafts: readonly DeliveryDraft[]): Promise<number> {
  const left = [...drafts]
  const headers = signatureHeaders({
    webhookId: 'wh_0',
    eventId: `evt_${randomUUID()}`,
    eventType: 'trade',
    secret: SECRET,
    body: '',
    nowMs: Date.now(),
  })
  const startedMs = performance.now()
  const postOn = async () => {
    for (let draft = left.pop(); draft !== undefined; draft = left.pop()) {
      const path = `/${draft.webhook.id}`
      const reply = await http.request({ method: 'POST', path, headers, body: draft.body })
      if (reply.statusCode !== 200) throw new Error(`the receiver answered ${reply.statusCode}`)
      await reply.body.dump()
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, postOn))
  return drafts.length / ((performance.now() - startedMs) / 1000)
}

export function createDrafts(webhooks: readonly DeliveryDraft['webhook'][]): DeliveryDraft[] {
  return webhooks.flatMap((webhook) =>
    Array.from({ length: DELIVERIES / WEBHOOKS }, () => {
      const eventId = randomUUID()
      const body = createBody(eventId)
      return { webhook, eventId, eventType: 'trade', body, block: 86_000_000, confirmations: 0 }
    }),
  )
}

const createBody = (eventId: string): string =>
  JSON.stringify({
    id: `evt_${eventId}`,
    type: 'trade',
    created_at: '2026-11-16T12:00:00.000000000+00:00',
    data: {
      id: `0x${'ab'.repeat(32)}_123`,
      maker: `0x${'12'.repeat(20)}`,
      taker: `0x${'34'.repeat(20)}`,
      amount_usd: 123.456789,
      price: 0.42,
      fee_usd: 0,
      direction: 'BUY',
      token_id: '7'.repeat(77),
      market: 'Will it rain in the capital on the last day of November?',
      slug: 'rain-in-the-capital',
      outcome: 'Yes',
      event_slug: 'weather-in-november',
      condition_id: `0x${'cd'.repeat(32)}`,
      transaction_hash: `0x${'ab'.repeat(32)}`,
      order_hash: `0x${'ef'.repeat(32)}`,
      builder: `0x${'00'.repeat(32)}`,
      timestamp: '1794830400',
    },
  })
