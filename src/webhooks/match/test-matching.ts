import { Value } from 'typebox/value'
import { expect } from 'vitest'
import { ManualClock } from '../../../test/manual-clock.js'
import { Plans } from '../../accounts/plans.js'
import { insertTestWebhook, type TestWebhook } from '../deliver/test-webhook.js'
import { eventTypeRow, type WebhookEventType } from '../event-types.js'
import type { WebhookFilters } from '../filters.js'
import type { Detector } from './detector.js'
import { DETECTORS } from './matcher.js'
import { ActiveWebhooks, runPass } from './pass.js'
import { insertTestMarket, TestFacts, timeOfBlock } from './test-facts.js'

export type TestEvent = {
  type: WebhookEventType
  id: string
  state: string
  block: number
  created_at: string
  data: Record<string, unknown>
}

/** Facts, a catalogue with one market, and what it takes to make passes by hand. */
export class TestMatching {
  readonly facts: TestFacts
  readonly clock = new ManualClock()
  readonly webhooks = new ActiveWebhooks()

  private constructor(facts: TestFacts) {
    this.facts = facts
  }

  /** The matcher has begun: the first pass is over. */
  static async open(): Promise<TestMatching> {
    const facts = await TestFacts.open()
    await insertTestMarket(facts.sql)
    const matching = new TestMatching(facts)
    matching.#tick()
    await matching.match()
    return matching
  }

  /** A webhook that was made now, at the last fact. */
  async watch(
    types: WebhookEventType[],
    filters: WebhookFilters = {},
    owner: { accountId?: number } = {},
  ): Promise<TestWebhook> {
    const { sql, headSeq } = this.facts
    const webhook = await insertTestWebhook(sql, { nowMs: this.clock.now(), ...owner })
    await sql`
      update webhooks
         set event_types = ${types}, filters = ${JSON.stringify(filters)}::text::jsonb,
             from_seq = ${headSeq}
       where id = ${webhook.id}`
    return webhook
  }

  /** Books a block; the clock shows its time. */
  async append(facts?: Parameters<TestFacts['append']>[0]): Promise<number> {
    const block = await this.facts.append(facts)
    this.#tick()
    return block
  }

  /** Makes passes until the matcher is at the head. Returns how many it took. */
  async match(changes: Partial<Parameters<typeof runPass>[0]> = {}): Promise<number> {
    for (let passes = 1; ; passes++) {
      const { isBehind } = await this.pass(changes)
      if (!isBehind) return passes
    }
  }

  pass(changes: Partial<Parameters<typeof runPass>[0]> = {}) {
    const detectors: readonly Detector[] = DETECTORS
    const { webhooks, facts, clock } = this
    return runPass({
      pool: facts.sql,
      plans: new Plans(),
      webhooks,
      detectors,
      nowMs: clock.now(),
      ...changes,
    })
  }

  /** What was queued for a webhook, in the order of the events' blocks and log indexes. */
  async eventsOf({ id }: TestWebhook): Promise<TestEvent[]> {
    const rows = await this.facts.sql<{ state: string; block: number; body: string }[]>`
      select state, block, body from webhook_deliveries where webhook = ${id}
       order by block, body::json -> 'data' ->> 'id', event_type, event_id`
    return rows.map(({ state, block, body }) => ({ ...JSON.parse(body), state, block }))
  }

  #tick(): void {
    this.clock.set(timeOfBlock(this.facts.head) * 1000)
  }
}

/** The payload is as published. */
export function expectPublished({ type, id, created_at, data }: TestEvent): void {
  const errors = [...Value.Errors(eventTypeRow(type).payload, data)]
  expect(errors).toEqual([])
  expect(id).toMatch(/^evt_[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}\+00:00$/)
}
