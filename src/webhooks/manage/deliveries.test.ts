import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, openReceiver, type Receiver } from '../../../test/webhooks/receiver.js'
import { transact } from '../../store/transaction.js'
import { enqueue } from '../deliver/enqueue.js'
import { deleteOldWebhooks } from '../deliver/retention.js'
import { signatureHeaders } from '../deliver/signature.js'
import {
  draftsOf,
  selectAttempts,
  selectDeliveries,
  selectNextAt,
  type TestWebhook,
} from '../deliver/test-webhook.js'
import { type Caller, createWebhookApi, type WebhookApi } from './test-api.js'

let t: WebhookApi
let receiver: Receiver
let answer: Answer = 200

beforeAll(async () => {
  t = await createWebhookApi()
  receiver = await openReceiver({ answer: () => answer })
})
afterAll(async () => {
  await receiver.close()
  await t.close()
})

const sql = () => t.ctx.sql
const now = () => new Date(t.clock.now())

/** A webhook of an account of its own. */
async function makeHook(plan: 'starter' | 'enterprise' = 'enterprise') {
  const caller = await t.createCaller(plan)
  const { id: publicId, secret } = await t.make(caller, {
    url: receiver.url,
    event_types: ['merge', 'trade'],
  })
  const [row] = await sql()<{ id: number }[]>`select id from webhooks where name = ${publicId}`
  const hook: TestWebhook = { id: row?.id ?? 0, publicId, accountId: caller.accountId }
  return { caller, hook, secret, path: `/v3/webhooks/${publicId}` }
}

const queue = (hook: TestWebhook, count: number) =>
  transact(sql(), (tx) => enqueue(tx, draftsOf(hook, count), { plans: t.ctx.plans, nowMs: t.clock.now() }))

/** Has deliveries be over in a state. */
const finish = ({ id }: TestWebhook, state: string, finishedAt = now()) => sql()`
  update webhook_deliveries
     set state = ${state}, attempts = 5, due_at = null, finished_at = ${finishedAt}
   where webhook = ${id}`

const countedOf = async ({ accountId }: TestWebhook) => {
  const [row] = await sql()`select deliveries from webhook_days where account_id = ${accountId}`
  return Number(row?.deliveries ?? 0)
}

const useUpDay = ({ accountId }: Caller) => sql()`
  insert into webhook_days (account_id, day, deliveries) values (${accountId}, '2026-11-15', 50000)
  on conflict (account_id, day) do update set deliveries = 50000`

const OVER = {
  error: 'daily delivery limit reached',
  scope: 'webhook_deliveries',
  reset_at: 1794787200,
}

describe('POST /v3/webhooks/{id}/test', () => {
  test('200: a webhook that points at this path is not sent again and again', async () => {
    const { caller, hook, path } = await makeHook()
    const service = await t.app.listen({ host: '127.0.0.1', port: 0 })
    await t.ask(caller, `PUT ${path}`, { url: `${service}${path}/test?key=${caller.key}` })
    const { body } = await t.ask(caller, `POST ${path}/test`)
    expect(body).toMatchObject({ delivered: false, status_code: 508, error: 'http 508' })
    expect(await selectAttempts(sql(), hook)).toHaveLength(1)
    expect(await countedOf(hook)).toBe(1)
  })

  test('200: sends a signed event, and writes it into the history', async () => {
    const { caller, hook, secret, path } = await makeHook()
    answer = 204
    receiver.requests.length = 0
    const { status, body } = await t.ask(caller, `POST ${path}/test`)
    expect(status).toBe(200)
    expect(body).toEqual({ delivered: true, status_code: 204, latency_ms: expect.any(Number) })

    expect(receiver.requests).toHaveLength(1)
    const { headers, body: sent = '' } = receiver.requests[0] ?? {}
    const envelope = JSON.parse(sent)
    expect(envelope).toEqual({
      id: expect.stringMatching(/^test_[0-9a-f-]{36}$/),
      type: 'merge',
      created_at: '2026-11-15T12:00:00.000000000+00:00',
      data: { test: true, message: expect.any(String) },
    })
    const expected = signatureHeaders({
      webhookId: hook.publicId,
      eventId: envelope.id,
      eventType: 'merge',
      secret,
      body: sent,
      nowMs: t.clock.now(),
    })
    for (const [name, value] of Object.entries(expected)) {
      expect(headers?.[name.toLowerCase()], name).toBe(value)
    }
    const history = await t.ask(caller, `GET ${path}/deliveries`)
    expect(history.body).toEqual({
      deliveries: [
        {
          event_type: 'merge',
          event_id: envelope.id,
          status_code: 204,
          attempt: 1,
          success: true,
          error: null,
          latency_ms: body.latency_ms,
          delivered_at: '2026-11-15T12:00:00.000000000+00:00',
        },
      ],
      count: 1,
    })
    expect(await countedOf(hook)).toBe(1)
    expect(t.logged.join('')).not.toContain(secret)
  })

  test('200: a paused webhook and a receiver that fails; the new secret signs', async () => {
    const { caller, hook, path } = await makeHook()
    await t.ask(caller, `PUT ${path}`, { active: false })
    const { secret } = (await t.ask(caller, `POST ${path}/rotate-secret`)).body
    answer = 500
    receiver.requests.length = 0
    const { body } = await t.ask(caller, `POST ${path}/test`)
    expect(body).toEqual({
      delivered: false,
      status_code: 500,
      latency_ms: expect.any(Number),
      error: 'http 500',
    })
    const { headers, body: sent = '' } = receiver.requests[0] ?? {}
    const eventId = JSON.parse(sent).id
    const event = { webhookId: hook.publicId, eventId, eventType: 'merge', secret, body: sent }
    const signed = signatureHeaders({ ...event, nowMs: t.clock.now() })
    expect(headers?.['x-webhook-signature']).toBe(signed['X-Webhook-Signature'])

    await t.ask(caller, `PUT ${path}`, { url: 'http://127.0.0.1:9/' })
    const refused = await t.ask(caller, `POST ${path}/test`)
    expect(refused.body).toMatchObject({ delivered: false, status_code: null })
    expect(refused.body.error).toEqual(expect.any(String))
    expect(await selectAttempts(sql(), hook)).toMatchObject([
      { success: false, statusCode: 500 },
      { success: false, statusCode: null },
    ])
  })

  test("429: the day's deliveries are used up", async () => {
    const { caller, hook, path } = await makeHook('starter')
    await useUpDay(caller)
    receiver.requests.length = 0
    const { status, body, headers } = await t.ask(caller, `POST ${path}/test`)
    expect(status).toBe(429)
    expect(body).toMatchObject(OVER)
    expect(headers['retry-after']).toBe(String(12 * 3_600))
    expect(receiver.requests).toHaveLength(0)
    expect(await selectAttempts(sql(), hook)).toHaveLength(0)
  })
})

describe('GET /v3/webhooks/{id}/deliveries', () => {
  test('200: pages of attempts, newest first', async () => {
    const { caller, hook, path } = await makeHook()
    await sql()`
      insert into webhook_attempts (webhook, event_id, event_type, attempt, success, latency_ms, error,
                                    attempted_at)
      select ${hook.id}, gen_random_uuid(), 'trade', 1, false, n, 'timeout', ${now()}
        from generate_series(1, 250) n`
    const page = async (query: string) => {
      const { body } = await t.ask(caller, `GET ${path}/deliveries?${query}`)
      expect(body.count).toBe(body.deliveries.length)
      return body.deliveries.map((row) => row.latency_ms)
    }
    const range = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, n) => from - n)
    expect(await page('')).toEqual(range(250, 201))
    expect(await page('limit=3')).toEqual([250, 249, 248])
    expect(await page('limit=3&offset=2')).toEqual([248, 247, 246])
    expect(await page('limit=1000')).toEqual(range(250, 51))
    expect(await page('limit=0')).toEqual([250])
    expect(await page('offset=248')).toEqual([2, 1])
    expect(await page('offset=250')).toEqual([])
  })
})

describe('PUT /v3/webhooks/{id}', () => {
  test('200: a pause cancels what waits, each with a row in the history', async () => {
    const { caller, hook, path } = await makeHook()
    await queue(hook, 3)
    const leased = (await selectDeliveries(sql(), hook))[0]?.eventId ?? ''
    await sql()`update webhook_deliveries set is_leased = true where event_id = ${leased}`
    await t.ask(caller, `PUT ${path}`, { active: false })
    const states = (await selectDeliveries(sql(), hook)).map(({ state }) => state)
    expect(states).toEqual(['pending', 'cancelled', 'cancelled'])
    expect(await selectAttempts(sql(), hook)).toMatchObject([
      { error: 'webhook paused', success: false, statusCode: null },
      { error: 'webhook paused', success: false, statusCode: null },
    ])
    // What was over by then stays as it is.
    await t.ask(caller, `PUT ${path}`, { active: false })
    expect(await selectAttempts(sql(), hook)).toHaveLength(2)
  })

  test('200: deliveries that a crash left pending after a pause are not sent after an activation', async () => {
    const { caller, hook, path } = await makeHook()
    await queue(hook, 2)
    await sql()`update webhooks set active = false where id = ${hook.id}`
    await t.ask(caller, `PUT ${path}`, { active: true })
    const states = (await selectDeliveries(sql(), hook)).map(({ state }) => state)
    expect(states).toEqual(['cancelled', 'cancelled'])
  })
})

test('a pause leaves a long queue to the dispatcher, and an activation does not wait for it', async () => {
  const { caller, hook, path } = await makeHook()
  await sql()`
    insert into webhook_deliveries (webhook, event_id, event_type, state, block, due_at, created_at, body)
    select ${hook.id}, gen_random_uuid(), 'trade', 'pending', 1, ${now()}, ${now()}, '{}'
      from generate_series(1, 2050)`
  const countPending = async () => {
    const rows = await sql()`
      select from webhook_deliveries where webhook = ${hook.id} and state = 'pending'`
    return rows.length
  }
  await t.ask(caller, `PUT ${path}`, { active: false })
  expect(await countPending()).toBe(1_050)
  expect(await selectNextAt(sql(), hook)).toEqual(now())
  await t.ask(caller, `PUT ${path}`, { active: true })
  expect(await countPending()).toBe(0)
  expect(await selectAttempts(sql(), hook)).toHaveLength(2_050)
})

describe('GET /v3/webhooks/{id}/deliveries/{event_id}', () => {
  test('200: has the bytes that are sent, and how far they are', async () => {
    const { caller, hook, path } = await makeHook()
    await queue(hook, 1)
    const [delivery] = await selectDeliveries(sql(), hook)
    const [row] = await sql()`select body from webhook_deliveries where webhook = ${hook.id}`
    const eventId = `evt_${delivery?.eventId}`
    const { status, body } = await t.ask(caller, `GET ${path}/deliveries/${eventId}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ event_id: eventId, state: 'pending', attempts: 0, body: row?.body })
  })

  test('404: an unknown event, an id that is none, and a webhook of another account', async () => {
    const { caller, hook, path } = await makeHook()
    await queue(hook, 1)
    const [delivery] = await selectDeliveries(sql(), hook)
    const other = await t.createCaller('enterprise')
    const unknown = 'evt_00000000-0000-0000-0000-000000000000'
    for (const [who, id] of [
      [caller, unknown],
      [caller, 'evt_1'],
      [other, `evt_${delivery?.eventId}`],
    ] as const) {
      expect((await t.ask(who, `GET ${path}/deliveries/${id}`)).status).toBe(404)
    }
  })
})

describe('POST /v3/webhooks/{id}/deliveries/{event_id}/resend', () => {
  test.each(['delivered', 'failed', 'cancelled'])('200: %s', async (state) => {
    const { caller, hook, path } = await makeHook()
    await queue(hook, 2)
    const [first, second] = await selectDeliveries(sql(), hook)
    await finish(hook, state)
    await sql()`update webhook_lanes set next_at = null where webhook = ${hook.id}`
    t.clock.advance(1_000)
    const id = `evt_${first?.eventId}`
    const { status, body } = await t.ask(caller, `POST ${path}/deliveries/${id}/resend`)
    expect(status).toBe(200)
    expect(body).toEqual({ event_id: id, state: 'pending' })
    const rows = await selectDeliveries(sql(), hook)
    const again = rows.find(({ eventId }) => eventId === first?.eventId)
    expect(again).toEqual({ ...first, dueAt: now() })
    expect(rows.find(({ eventId }) => eventId === second?.eventId)?.state).toBe(state)
    expect(await selectNextAt(sql(), hook)).toEqual(now())
    expect(await countedOf(hook)).toBe(3)
  })

  test.each(['pending', 'held'])('409: %s', async (state) => {
    const { caller, hook, path } = await makeHook()
    await queue(hook, 1)
    await sql()`update webhook_deliveries set state = ${state} where webhook = ${hook.id}`
    const [delivery] = await selectDeliveries(sql(), hook)
    const reply = await t.ask(caller, `POST ${path}/deliveries/${delivery?.eventId}/resend`)
    expect(reply.status).toBe(409)
    expect(reply.body).toMatchObject({ error: 'The delivery is not finished.' })
    expect(await selectDeliveries(sql(), hook)).toEqual([delivery])
    expect(await countedOf(hook)).toBe(1)
  })

  test('409: the webhook is paused', async () => {
    const { caller, hook, path } = await makeHook()
    await queue(hook, 1)
    const [delivery] = await selectDeliveries(sql(), hook)
    await t.ask(caller, `PUT ${path}`, { active: false })
    const reply = await t.ask(caller, `POST ${path}/deliveries/${delivery?.eventId}/resend`)
    expect(reply.status).toBe(409)
    expect(reply.body).toMatchObject({ error: 'The webhook is paused.', hint: expect.any(String) })
    expect((await t.ask(caller, `POST ${path}/recover`, { since: 0 })).status).toBe(409)
  })

  test('404: no such delivery, one of another webhook, a test, nonsense', async () => {
    const { caller, hook, path } = await makeHook()
    const other = await makeHook()
    await queue(other.hook, 1)
    await finish(other.hook, 'failed')
    const [delivery] = await selectDeliveries(sql(), other.hook)
    for (const id of [
      `evt_${delivery?.eventId}`,
      'evt_00000000-0000-8000-8000-000000000000',
      'test_00000000-0000-8000-8000-000000000000',
      'nonsense',
      '%F0%9F%92%A9',
    ]) {
      const reply = await t.ask(caller, `POST ${path}/deliveries/${id}/resend`)
      expect([reply.status, reply.body.error], id).toEqual([404, 'Delivery not found.'])
    }
    expect(await countedOf(hook)).toBe(0)
  })

  test("429: the day's deliveries are used up", async () => {
    const { caller, hook, path } = await makeHook('starter')
    await queue(hook, 1)
    await finish(hook, 'failed')
    await useUpDay(caller)
    const [delivery] = await selectDeliveries(sql(), hook)
    const id = `evt_${delivery?.eventId}`
    const reply = await t.ask(caller, `POST ${path}/deliveries/${id}/resend`)
    expect(reply.status).toBe(429)
    expect(reply.body).toMatchObject(OVER)
    expect(await selectDeliveries(sql(), hook)).toEqual([delivery])
  })
})

describe('POST /v3/webhooks/{id}/recover', () => {
  test('200: what failed since then is due again, and nothing else', async () => {
    const { caller, hook, path } = await makeHook()
    await queue(hook, 6)
    await finish(hook, 'failed')
    const ids = (await selectDeliveries(sql(), hook)).map(({ eventId }) => eventId)
    const change = (index: number, state: string, ageSec: number) => sql()`
      update webhook_deliveries
         set state = ${state}, finished_at = ${new Date(t.clock.now() - ageSec * 1_000)}
       where webhook = ${hook.id} and event_id = ${ids[index] ?? ''}`
    await change(0, 'failed', 101)
    await change(1, 'failed', 100)
    await change(2, 'delivered', 10)
    await change(3, 'cancelled', 10)
    await sql()`update webhook_lanes set next_at = null where webhook = ${hook.id}`

    const since = new Date(t.clock.now() - 100_000).toISOString()
    const { status, body } = await t.ask(caller, `POST ${path}/recover`, { since })
    expect(status).toBe(200)
    expect(body).toEqual({ recovered: 3, has_more: false })
    const rows = await selectDeliveries(sql(), hook)
    expect(rows.map(({ state }) => state)).toEqual([
      'failed',
      'pending',
      'delivered',
      'cancelled',
      'pending',
      'pending',
    ])
    expect(rows[1]).toMatchObject({ attempts: 0, dueAt: now(), finishedAt: null })
    expect(await selectNextAt(sql(), hook)).toEqual(now())
    expect(await countedOf(hook)).toBe(9)

    const again = await t.ask(caller, `POST ${path}/recover`, { since })
    expect(again.body).toEqual({ recovered: 0, has_more: false })
    const all = await t.ask(caller, `POST ${path}/recover`, { since: 0 })
    expect(all.body).toEqual({ recovered: 1, has_more: false })
  })

  test("as much as the day's deliveries allow, then 429", async () => {
    const { caller, hook, path } = await makeHook('starter')
    await queue(hook, 4)
    await finish(hook, 'failed')
    await sql()`
      update webhook_days set deliveries = 49997 where account_id = ${caller.accountId}`
    const { body } = await t.ask(caller, `POST ${path}/recover`, { since: 0 })
    expect(body).toEqual({ recovered: 3, has_more: true })
    const { status, body: refusal } = await t.ask(caller, `POST ${path}/recover`, { since: 0 })
    expect([status, refusal]).toMatchObject([429, OVER])
  })

  test('200: thousands, in parts that others of the account do not wait for', async () => {
    const { caller, hook, path } = await makeHook('starter')
    await queue(hook, 1)
    await sql()`
      insert into webhook_deliveries
             (webhook, event_id, event_type, state, block, created_at, finished_at, body)
      select ${hook.id}::int, gen_random_uuid(), 'trade', 'failed', 1, ${now()}, ${now()}, '{}'
        from generate_series(1, 4500)`
    await sql()`
      update webhook_days set deliveries = 45900 where account_id = ${caller.accountId}`
    const { body } = await t.ask(caller, `POST ${path}/recover`, { since: 0 })
    expect(body).toEqual({ recovered: 4_100, has_more: true })
    expect(await countedOf(hook)).toBe(50_000)
  })
})

test('the rows of a deleted webhook go later, and no others', async () => {
  const { caller, hook, path } = await makeHook()
  const other = await makeHook()
  for (const each of [hook, other.hook]) await queue(each, 3)
  await sql()`
    insert into webhook_attempts (webhook, event_id, event_type, attempt, success, latency_ms, attempted_at)
    select ${hook.id}, gen_random_uuid(), 'trade', 1, true, 1, ${now()} from generate_series(1, 6000)`
  await t.ask(caller, `DELETE ${path}`)
  const signal = new AbortController().signal
  const count = async ({ id }: TestWebhook) => {
    const [row] = await sql()`
      select (select count(*) from webhooks where id = ${id})
           + (select count(*) from webhook_deliveries where webhook = ${id})
           + (select count(*) from webhook_attempts where webhook = ${id})
           + (select count(*) from webhook_lanes where webhook = ${id}) as count`
    return Number(row?.count)
  }
  await deleteOldWebhooks(sql(), t.clock.now() + 59_000, signal)
  expect(await count(hook)).toBe(6_005)
  await deleteOldWebhooks(sql(), t.clock.now() + 61_000, signal)
  expect(await count(hook)).toBe(0)
  expect(await count(other.hook)).toBe(5)
})
