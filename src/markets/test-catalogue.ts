import { joinSearchTexts, wordsOf } from '../lookups/search-text.js'
import type { Sql } from '../store/connection.js'

/** A market of a test, each in an event of its own unless `event` says otherwise. */
export type TestMarket = {
  question: string
  slug: string
  title?: string
  event?: number
  volume?: number
  closed?: boolean
  tags?: number[]
}

/** Writes markets as the sync of the catalogue would; ids count from 1. */
export async function insertTestMarkets(sql: Sql, markets: readonly TestMarket[]): Promise<void> {
  const at = new Date(0)
  for (const [index, market] of markets.entries()) {
    const id = index + 1
    const { question, slug, title = question, event = id, closed = false } = market
    const flags = { active: true, archived: false, neg_risk: false, closed, first_seen: at }
    const volume = market.volume ?? null
    const text = joinSearchTexts([question, slug, title])
    await sql`
      insert into events ${sql({ ...flags, id: event, slug: `event-${slug}`, title, volume })}
      on conflict do nothing`
    await sql`
      insert into markets ${sql({
        ...flags,
        id,
        event,
        slug,
        question,
        volume,
        outcomes: ['Yes', 'No'],
        accepting_orders: true,
        enable_order_book: true,
        tokens: [] as Buffer[],
      })}`
    await sql`insert into market_texts values (${id}, ${volume}, ${text})`
    await sql`
      insert into event_texts values (${event}, ${joinSearchTexts([title, slug])})
      on conflict do nothing`
    await sql`
      insert into search_words select unnest(${wordsOf(text)}::text[]) on conflict do nothing`
    for (const [index, tag] of (market.tags ?? []).entries()) {
      await sql`insert into event_tags values (${event}, ${tag}, ${index}) on conflict do nothing`
    }
  }
}
