import type { Universe } from '../../sim/universe/universe.js'
import { bookFrom } from '../../src/chain/backfill/test-world.js'
import { openWorld } from '../../src/chain/follow/test-follow.js'
import type { Pool } from '../../src/store/connection.js'
import { createTestApp } from '../test-app.js'
import { readFills } from './fill-model.js'

export type TradeWorld = Awaited<ReturnType<typeof openTradeWorld>>

/** A simulated history that is booked, with its catalogue, behind the production application. */
export async function openTradeWorld({ historyMs = 40 * 60_000 } = {}) {
  const world = await openWorld({ seed: 5, historyMs })
  const { universe } = world
  const fills = await readFills(world.host.url, universe)
  const database = await bookFrom(world, universe.chain.firstNumber)
  await insertCatalogue(database.sql, universe, new Set(fills.map(({ token }) => token)))
  const t = await createTestApp({ database })
  const { key } = await t.createCaller('enterprise')
  const get = (path: string, query: Record<string, unknown> = {}, headers: object = {}) => {
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) search.set(name, String(value))
    }
    return t.app.inject({ url: `${path}?${search}`, headers: { 'x-api-key': key, ...headers } })
  }
  const close = async () => {
    await t.close()
    await world.close()
  }
  return { ...t, universe, fills, get, close }
}

/** The events of these tokens but for every fourth: the catalogue may lack a market that is traded. */
async function insertCatalogue(
  sql: Pool,
  { catalogue }: Universe,
  traded: ReadonlySet<string>,
): Promise<void> {
  for (const event of catalogue.events()) {
    const eventId = Number(event.id)
    const isTraded = event.markets.some(({ tokens }) =>
      tokens.some(({ decimal }) => traded.has(decimal)),
    )
    if (!isTraded || eventId % 4 === 0) continue
    await sql`
      insert into events (id, slug, title, first_seen, active, closed, archived, neg_risk)
      values (${eventId}, ${event.slug}, ${event.title}, now(), true, false, false, false)`
    for (const market of event.markets) {
      const [yes, no] = market.tokens.map(({ word }) => Buffer.from(word, 'hex')) as [
        Buffer,
        Buffer,
      ]
      const condition = Buffer.from(market.conditionId.slice(2), 'hex')
      await sql`
        insert into markets (id, event, slug, question, condition, outcomes, tokens, first_seen,
                             active, closed, archived, neg_risk, accepting_orders, enable_order_book)
        values (${market.id}, ${eventId}, ${market.slug}, ${market.question}, ${condition},
                ${[...market.outcomes]}, array[${yes}::bytea, ${no}], now(), true, false, false, false, true, true)`
      for (const [outcome, token] of [yes, no].entries()) {
        await sql`insert into market_tokens values (${token}, ${market.id}, ${outcome})`
      }
    }
  }
}
