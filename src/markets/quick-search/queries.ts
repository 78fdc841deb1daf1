import { hexToBytes } from '../../lib/hex.js'
import { hasText, prefixPattern, type QueryWord } from '../../lookups/query-words.js'
import type { Sql } from '../../store/connection.js'
import { hex } from '../../store/sql-words.js'
import { selectCatalogueIds } from '../catalogue-page.js'

type TextScope = { words: readonly QueryWord[]; isClosed: boolean; limit: number }

/**
 * Markets or events with all words at beginnings of words, those with the most volume first. Indexes: those of
 * catalogue-page.ts along the volume, market_texts_trigrams and event_texts_trigrams for rare words.
 */
export async function selectIdsByText(
  sql: Sql,
  table: 'markets' | 'events',
  { words, isClosed, limit }: TextScope,
): Promise<number[]> {
  const isMarkets = table === 'markets'
  const texts = isMarkets
    ? sql`(select market as id, text from market_texts)`
    : sql`(select event as id, text from event_texts)`
  const hasWords = hasText(sql, sql`t.text`, words, prefixPattern)
  const isListed = isMarkets ? sql`not c.archived` : sql`not c.archived and c.gone_at is null`
  const rows = await selectCatalogueIds(
    sql,
    {
      table,
      sort: 'volume_all_time',
      isAscending: false,
      isClosed,
      filters: [
        {
          condition: sql`exists (select from ${texts} t where t.id = c.id and ${hasWords})`,
          matches: 'some',
        },
        { condition: isListed, matches: 'most' },
      ],
      collectFrom: {
        table: sql`(select listed.*, t.text from ${texts} t join ${isMarkets ? sql`markets` : sql`events`} listed using (id))`,
        conditions: [hasText(sql, sql`c.text`, words, prefixPattern), isListed],
      },
    },
    { limit, offset: 0, after: undefined },
  )
  return rows.map(({ id }) => id)
}

/** Events with this slug. Index: events_slug. */
export async function selectEventIdsBySlug(sql: Sql, slug: string): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select id from events where slug = ${slug} and gone_at is null order by id limit 5`
  return rows.map(({ id }) => id)
}

/** A market as a result of a search shows it. */
export type MarketCard = {
  id: number
  slug: string
  question: string
  condition: string | null
  closed: boolean
  volume: number
  image: string | null
  event: number | null
  eventTitle: string | null
}

/** These markets; those that no page can show are left out. Index: markets_pkey. */
export const selectMarketCards = (sql: Sql, ids: readonly number[]) => sql<MarketCard[]>`
  select m.id, m.slug, m.question, ${hex(sql, 'm.condition')} as condition, m.closed,
         coalesce(m.volume, 0)::float8 as volume, coalesce(m.icon, m.image) as image, m.event, e.title as event_title
    from markets m
    left join events e on e.id = m.event
   where m.id = any(${[...ids]}::int[]) and not m.archived and m.slug is not null and m.question is not null`

/** An event, or the game that it is about. */
export type EventCard = {
  id: number
  slug: string
  title: string
  isGame: boolean
  closed: boolean
  volume: number
  image: string | null
  marketCount: number
  startsAt: Date | null
}

/** These events; those that no page can show are left out. Index: events_pkey. */
export const selectEventCards = (sql: Sql, ids: readonly number[]) => sql<EventCard[]>`
  select e.id, e.slug, e.title, e.game_id is not null as is_game, e.closed, coalesce(e.volume, 0)::float8 as volume,
         coalesce(e.icon, e.image) as image, coalesce(e.market_count, 0) as market_count, e.starts_at
    from events e
   where e.id = any(${[...ids]}::int[]) and e.slug is not null and e.title is not null`

export type TagCard = { slug: string; label: string; markets: number; isStart: boolean }

/**
 * Tags with the text at the beginning of a word, those that begin with it and those of most markets first. There are
 * some thousands of them, and all are compared.
 */
export const selectTagCards = (sql: Sql, text: string, limit: number) => sql<TagCard[]>`
  select slug, label, markets, starts_with(lower(label), ${text}) or starts_with(slug, ${text}) as is_start
    from tag_counts
   where strpos(' ' || lower(label), ' ' || ${text}) > 0 or starts_with(slug, ${text})
   order by is_start desc, -markets, slug
   limit ${limit}`

export type UserCard = { name: string; wallet: string }

/** Wallets whose public name begins with this text, in the order of names. Index: usernames_name. */
export const selectUsersByPrefix = (sql: Sql, text: string, limit: number) => sql<UserCard[]>`
  select name, ${hex(sql, 'wallet')} as wallet
    from usernames
   where lower(name) collate "C" >= ${text} and lower(name) collate "C" < ${text} || chr(1114111)
   order by lower(name) collate "C", wallet
   limit ${limit}`

/**
 * Wallets whose public name has this text after its beginning, in the order of names. They are collected before they
 * are sorted, or all names would be read in their order. Index: usernames_trigrams.
 */
export const selectUsersBySubstring = (sql: Sql, text: string, limit: number) => sql<UserCard[]>`
  with found as materialized (
    select name, wallet from usernames
     where lower(name) like ${`_%${text.replace(/[\\%_]/g, '\\$&')}%`}
     limit ${COLLECTED_NAMES_MAX})
  select name, ${hex(sql, 'wallet')} as wallet
    from found
   order by lower(name) collate "C", wallet
   limit ${limit}`

const COLLECTED_NAMES_MAX = 500

export type WalletCard = { address: string; name: string | null }

/** Wallets whose address begins with these hex digits. Index: wallets_address_key. */
export const selectWalletCards = (sql: Sql, digits: string, limit: number) => sql<WalletCard[]>`
  select ${hex(sql, 'w.address')} as address, u.name
    from wallets w
    left join usernames u on u.wallet = w.address
   where w.address between ${hexToBytes(`0x${digits.padEnd(40, '0')}`)} and ${hexToBytes(`0x${digits.padEnd(40, 'f')}`)}
     and w.id <> 0
   order by w.address
   limit ${limit}`

/** Markets whose condition begins with these hex digits. Index: markets_condition. */
export async function selectMarketIdsByCondition(sql: Sql, digits: string, limit: number): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select min(id) as id from markets
     where condition between ${hexToBytes(`0x${digits.padEnd(64, '0')}`)} and ${hexToBytes(`0x${digits.padEnd(64, 'f')}`)}
     group by condition
     order by condition
     limit ${limit}`
  return rows.map(({ id }) => id)
}

/** The market of a token, and which outcome the token is of. Index: market_tokens_pkey. */
export async function selectMarketOfToken(sql: Sql, token: string) {
  const [row] = await sql<{ market: number; outcome: string | null }[]>`
    select mt.market, m.outcomes[mt.outcome + 1] as outcome
      from market_tokens mt
      join markets m on m.id = mt.market
     where mt.token = ${hexToBytes(token)}
     limit 1`
  return row
}
