import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { seqOf } from '../../core/seq.js'
import { WEBHOOK_EVENT_TYPE_NAMES } from '../event-types.js'
import { FILTER_NAMES } from '../filters.js'
import { type Caller, createWebhookApi, HOOK_URL, NEW_WEBHOOK, type WebhookApi } from './test-api.js'

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}\+00:00$/
const SECRET = /^whsec_[0-9a-f]{32}$/
const WALLET = '0x00000000000000000000000000000000000000aa'

let t: WebhookApi
let caller: Caller
beforeAll(async () => {
  t = await createWebhookApi()
  await t.ctx
    .sql`insert into chain_state (block) values (1000) on conflict (is_only_row) do update set block = 1000`
})
afterAll(() => t.close())

const sql = () => t.ctx.sql
const newCaller = () => t.createCaller('growth')
beforeAll(async () => {
  caller = await newCaller()
})

/** What the matcher and the dispatcher see of a webhook. */
async function stored(name: string) {
  const [row] = await sql()`
    select id, secret, from_seq, active_since, active, deleted_at, revision
      from webhooks where name = ${name}`
  return row ?? expect.fail('there is no such row')
}

describe('POST /v3/webhooks', () => {
  test('201: the record with its secret, and nothing of a later state', async () => {
    const { status, body } = await t.ask(caller, 'POST /v3/webhooks', {
      url: HOOK_URL,
      event_types: ['trade', 'redemption', 'trade'],
      filters: { wallet_addresses: [WALLET.toUpperCase().replace('X', 'x')], min_amount_usd: 250 },
      description: 'desk A',
      unknown_field: 1,
    })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^wh_[0-9a-f]{12}$/),
      url: HOOK_URL,
      event_types: ['trade', 'redemption'],
      filters: { wallet_addresses: [WALLET], min_amount_usd: 250 },
      secret: expect.stringMatching(SECRET),
      active: true,
      description: 'desk A',
      created_at: '2026-11-15T12:00:00.000000000+00:00',
    })
  })

  test('201: without filters and description; the trailing slash is accepted', async () => {
    const { status, body } = await t.ask(caller, 'POST /v3/webhooks/', NEW_WEBHOOK)
    expect(status).toBe(201)
    expect(body).toMatchObject({ filters: {}, description: null })
  })

  test('201: it sees what comes after the head of the chain', async () => {
    const { id } = await t.make(caller)
    expect(await stored(id)).toMatchObject({
      fromSeq: BigInt(seqOf(1001, 0) - 1),
      activeSince: new Date(t.clock.now()),
    })
  })

  test('201: a secret of the caller is taken, shown once, and nowhere in plain text', async () => {
    const secret = 'my own very long secret'
    const { id, secret: shown } = await t.make(caller, { secret })
    expect(shown).toBe(secret)
    const row = await stored(id)
    expect(await t.ctx.secretBox.decrypt(row.secret, id)).toBe(secret)
    const [dump] = await sql()`
      select string_agg(w::text || encode(w.secret, 'escape'), '') as text from webhooks w`
    expect(dump?.text).not.toContain(secret)
    expect(t.logged.join('')).not.toContain(secret)
    expect(t.logged.join('')).not.toContain('whsec_')
    for (const path of ['', `/${id}`]) {
      const text = JSON.stringify((await t.ask(caller, `GET /v3/webhooks${path}`)).body)
      expect(text).not.toContain(secret)
      expect(text).not.toContain('whsec_')
    }
  })

  test('403: the plan has no more webhooks, also when two are made at the same time', async () => {
    const starter = await t.createCaller('starter')
    const made = await Promise.all(
      Array.from({ length: 14 }, () => t.ask(starter, 'POST /v3/webhooks', NEW_WEBHOOK)),
    )
    expect(made.filter(({ status }) => status === 201)).toHaveLength(10)
    const refused = made.filter(({ status }) => status === 403)
    expect(refused).toHaveLength(4)
    expect(refused[0]?.body).toMatchObject({ error: 'webhook_limit_reached', limit: 10 })

    const [first] = made.filter(({ status }) => status === 201)
    await t.ask(starter, `DELETE /v3/webhooks/${first?.body.id}`)
    expect((await t.ask(starter, 'POST /v3/webhooks', NEW_WEBHOOK)).status).toBe(201)
  })

  test('403: the 501st webhook of an enterprise', async () => {
    const enterprise = await t.createCaller('enterprise')
    const { id } = await t.make(enterprise)
    await sql()`
      insert into webhooks (name, account_id, url, event_types, filters, secret, active, created_at,
                            updated_at, from_seq, active_since)
      select 'wh_' || lpad(to_hex(n), 12, '0'), account_id, url, event_types, filters, secret, active,
             created_at, updated_at, from_seq, active_since
        from webhooks, generate_series(1, 499) n where name = ${id}`
    const { status, body } = await t.ask(enterprise, 'POST /v3/webhooks', NEW_WEBHOOK)
    expect(status).toBe(403)
    expect(body).toMatchObject({ error: 'webhook_limit_reached', limit: 500 })
    const list = await t.ask(enterprise, 'GET /v3/webhooks')
    expect(list.body.count).toBe(500)
    expect(list.body.webhooks[0]?.id).toBe(id)
  })

  test('402: the free plan', async () => {
    const free = await t.createCaller('free')
    expect((await t.ask(free, 'POST /v3/webhooks', NEW_WEBHOOK)).status).toBe(402)
    expect((await t.ask(free, 'GET /v3/webhooks/event-types')).status).toBe(402)
  })

  test('503: a process with another key says what to do', async () => {
    const other = await createWebhookApi()
    await other.ctx.sql`insert into secret_key (fingerprint) values ('\\x00')`
    const { status, body } = await other.ask(
      await other.createCaller('starter'),
      'POST /v3/webhooks',
      NEW_WEBHOOK,
    )
    expect(status).toBe(503)
    expect(body.error).toMatch(/another key .* AUSPEX_SECRET_KEY/)
    await other.close()
  })
})

describe('GET /v3/webhooks', () => {
  test('200: the webhooks of the account, oldest first, without those of `auspex listen`', async () => {
    const own = await newCaller()
    expect((await t.ask(own, 'GET /v3/webhooks')).body).toEqual({ webhooks: [], count: 0 })
    const made = [await t.make(own), await t.make(own, { event_types: ['split'] }), await t.make(own)]
    await sql()`update webhooks set polled_at = now() where name = ${made[2]?.id ?? ''}`
    const { body } = await t.ask(own, 'GET /v3/webhooks/')
    expect(body.count).toBe(2)
    expect(body.webhooks.map(({ id }) => id)).toEqual([made[0]?.id, made[1]?.id])
    expect(body.webhooks[0]).toEqual({
      id: made[0]?.id,
      url: HOOK_URL,
      event_types: ['trade'],
      filters: {},
      active: true,
      description: null,
      has_secret: true,
      created_at: made[0]?.created_at,
      updated_at: made[0]?.created_at,
      disabled_reason: null,
      disabled_at: null,
      consecutive_failures: 0,
    })
    expect((await t.ask(own, `GET /v3/webhooks/${made[2]?.id}`)).status).toBe(404)
  })
})

describe('GET /v3/webhooks/event-types', () => {
  test('200: every type with its filters and those that it needs', async () => {
    const { body } = await t.ask(caller, 'GET /v3/webhooks/event-types')
    const names = (body.event_types as { name: string }[]).map(({ name }) => name)
    expect(names).toEqual(WEBHOOK_EVENT_TYPE_NAMES)
    expect(names).toHaveLength(16)
    expect(body.event_types).toContainEqual({
      name: 'builder_trade',
      description: 'fill routed through a given builder',
      filters: ['builder_codes', 'min_amount_usd'],
      required: ['builder_codes'],
      exclusive: true,
    })
  })

  test('200: what the value of each filter may be, for forms', async () => {
    const { body } = await t.ask(caller, 'GET /v3/webhooks/event-types')
    const rules = body.filter_rules as { name: string }[]
    expect(rules.map(({ name }) => name)).toEqual(FILTER_NAMES)
    expect(rules).toContainEqual({
      name: 'side',
      kind: 'choice',
      description: expect.any(String),
      values: ['BUY', 'SELL'],
    })
  })
})

describe('PUT /v3/webhooks/{id}', () => {
  test('200: only the given fields change, lists and filters are replaced', async () => {
    const { id, created_at } = await t.make(caller, { filters: { side: 'BUY' }, description: 'a' })
    t.clock.advance(1_500)
    const { body } = await t.ask(caller, `PUT /v3/webhooks/${id}`, {
      event_types: ['trade', 'merge'],
      secret: 'not taken here, because rotate-secret is',
    })
    expect(body).toMatchObject({
      id,
      url: HOOK_URL,
      event_types: ['trade', 'merge'],
      filters: { side: 'BUY' },
      active: true,
      description: 'a',
      has_secret: true,
      created_at,
    })
    expect(body.updated_at).toMatch(TIME)
    expect(body.updated_at > created_at).toBe(true)
    expect(body).not.toHaveProperty('secret')

    const filters = { token_ids: ['7'] }
    const changed = await t.ask(caller, `PUT /v3/webhooks/${id}`, { filters, description: null })
    expect(changed.body).toMatchObject({ filters, description: null })
    expect((await t.ask(caller, `GET /v3/webhooks/${id}`)).body).toEqual(changed.body)
    expect((await t.ask(caller, `PUT /v3/webhooks/${id}`, {})).body).toEqual(changed.body)
  })

  test('400: the fields do not fit those that the webhook has', async () => {
    const { id } = await t.make(caller, {
      event_types: ['large_trade'],
      filters: { min_amount_usd: 5 },
    })
    const path = `PUT /v3/webhooks/${id}`
    const { status, body } = await t.ask(caller, path, { filters: {} })
    expect(status).toBe(400)
    expect(body).toMatchObject({ error: 'missing_required_filter', filter: 'min_amount_usd' })
    expect((await t.ask(caller, path, { event_types: ['pnl_change'] })).status).toBe(400)
    expect((await t.ask(caller, path, { event_types: ['trade'], filters: {} })).status).toBe(200)
  })

  test('200: two changes at the same time do not undo each other', async () => {
    const { id } = await t.make(caller)
    await Promise.all([
      t.ask(caller, `PUT /v3/webhooks/${id}`, { description: 'new' }),
      t.ask(caller, `PUT /v3/webhooks/${id}`, { event_types: ['merge'] }),
      t.ask(caller, `PUT /v3/webhooks/${id}`, { filters: { side: 'SELL' } }),
    ])
    expect((await t.ask(caller, `GET /v3/webhooks/${id}`)).body).toMatchObject({
      description: 'new',
      event_types: ['merge'],
      filters: { side: 'SELL' },
    })
  })

  test('200: a paused webhook starts at the head when it is activated', async () => {
    const { id } = await t.make(caller)
    const { id: number } = await stored(id)
    await t.ask(caller, `PUT /v3/webhooks/${id}`, { active: false })
    await sql()`
      update webhooks set disabled_reason = 'delivery_failures', disabled_at = created_at where id = ${number}`
    await sql()`
      insert into webhook_lanes (webhook, account_id, consecutive_failures, failing_since)
      values (${number}, ${caller.accountId}, 50, ${new Date(t.clock.now())})`
    await sql()`
      insert into webhook_bases (webhook, event_type, wallet, token, value)
      values (${number}, 'price_change', '', '\\x01', 5)`
    const disabled = await t.ask(caller, `GET /v3/webhooks/${id}`)
    expect(disabled.body).toMatchObject({
      active: false,
      disabled_reason: 'delivery_failures',
      consecutive_failures: 50,
      disabled_at: expect.stringMatching(TIME),
    })

    const before = await stored(id)
    await sql()`update chain_state set block = 1010`
    t.clock.advance(1_000)
    const { body } = await t.ask(caller, `PUT /v3/webhooks/${id}`, { active: true })
    expect(body).toMatchObject({
      active: true,
      disabled_reason: null,
      disabled_at: null,
      consecutive_failures: 0,
    })
    const after = await stored(id)
    expect(after).toMatchObject({
      fromSeq: BigInt(seqOf(1011, 0) - 1),
      activeSince: new Date(t.clock.now()),
    })
    expect(after.revision > before.revision).toBe(true)
    expect(await sql()`select from webhook_bases where webhook = ${number}`).toHaveLength(0)

    await t.ask(caller, `PUT /v3/webhooks/${id}`, { active: true, description: 'still active' })
    expect(await stored(id)).toMatchObject({ activeSince: after.activeSince })
  })
})

describe('DELETE /v3/webhooks/{id}', () => {
  test('200: it is gone at once, with its secret', async () => {
    const { id } = await t.make(caller)
    const { status, body } = await t.ask(caller, `DELETE /v3/webhooks/${id}`)
    expect([status, body]).toEqual([200, { deleted: true }])
    expect((await t.ask(caller, `GET /v3/webhooks/${id}`)).status).toBe(404)
    expect((await t.ask(caller, `DELETE /v3/webhooks/${id}`)).status).toBe(404)
    expect(await stored(id)).toMatchObject({
      active: false,
      deletedAt: expect.any(Date),
      secret: Buffer.alloc(0),
    })
  })
})

describe('POST /v3/webhooks/{id}/rotate-secret', () => {
  test('200: a new secret replaces the old one', async () => {
    const { id, secret } = await t.make(caller)
    const { status, body } = await t.ask(caller, `POST /v3/webhooks/${id}/rotate-secret`)
    expect(status).toBe(200)
    expect(body).toEqual({ secret: expect.stringMatching(SECRET) })
    expect(body.secret).not.toBe(secret)
    expect(await t.ctx.secretBox.decrypt((await stored(id)).secret, id)).toBe(body.secret)
  })
})

const EVENT = 'evt_7c1f0f6e-0b52-8d0e-9a3c-5d1f2a3b4c5d'

describe('every path of a webhook', () => {
  const paths: [string, object?][] = [
    ['GET /v3/webhooks/ID'],
    ['PUT /v3/webhooks/ID', { active: false }],
    ['DELETE /v3/webhooks/ID'],
    ['POST /v3/webhooks/ID/test'],
    ['POST /v3/webhooks/ID/rotate-secret'],
    ['GET /v3/webhooks/ID/deliveries'],
    [`POST /v3/webhooks/ID/deliveries/${EVENT}/resend`],
    ['POST /v3/webhooks/ID/recover', { since: 0 }],
  ]

  test.each(paths)('404: %s of another account, or of none', async (request, body) => {
    const { id } = await t.make(caller)
    const stranger = await newCaller()
    const before = await stored(id)
    for (const name of [id, 'wh_000000000000', 'nonsense', 'evt_%F0%9F%92%A9', "';--"]) {
      // Fields of the same name elsewhere do not choose another webhook.
      const asked = `${request.replace('ID', name)}?id=${id}`
      const reply = await t.ask(stranger, asked, body && { ...body, id })
      expect([reply.status, reply.body.error], asked).toEqual([404, 'Webhook not found.'])
    }
    expect(await stored(id)).toEqual(before)
  })

  test.each(paths)('401: %s without a key', async (request, body) => {
    const { status } = await t.ask({ key: '', accountId: 0 }, request, body)
    expect(status).toBe(401)
  })
})
