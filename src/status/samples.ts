import { toTokenId } from '../core/ids.js'
import { COMBO_MODULE } from '../core/structured-id.js'
import { toIsoSecond } from '../core/unix-time.js'
import type { Samples } from '../http/examples.js'
import { faultFields } from '../lib/fault-fields.js'
import type { Platform } from '../platform.js'
import type { Sql } from '../store/connection.js'
import { hex, isTakerOrder } from '../store/sql-words.js'

/** Only the newest rows are read, so that it takes no longer when there are more. */
const RECENT_ROWS = 2_000
const FRESH_MS = 10 * 60_000
/** A database that is being filled has no sample of some kinds yet. */
const PARTIAL_MS = 30_000

type SampleParts = Pick<Platform, 'store' | 'clock' | 'floodLog'>

/**
 * Finds things of this database that have data, for the reference to ask about. They are read again after ten
 * minutes; while the database does not answer they stay what they were.
 */
export function createSamples({ store, clock, floodLog }: SampleParts) {
  let samples: Samples = {}
  let expiresAtMs = 0
  let reading: Promise<void> | undefined
  const read = async (nowMs: number): Promise<void> => {
    expiresAtMs = nowMs + PARTIAL_MS
    try {
      const found = await selectSamples(store.answers, nowMs)
      samples = { ...found, ...sampleTimes(nowMs) }
      const isWhole = Object.values(found).every((value) => value !== undefined)
      if (isWhole) expiresAtMs = nowMs + FRESH_MS
    } catch (error) {
      // The document is of use without them.
      floodLog.write('warn', 'no samples for the reference', () => faultFields(error))
    }
  }
  return async (): Promise<Samples> => {
    const nowMs = clock.now()
    if (nowMs >= expiresAtMs && store.problem === undefined) {
      reading = read(nowMs).finally(() => {
        reading = undefined
      })
    }
    await reading
    return samples
  }
}

async function selectSamples(sql: Sql, nowMs: number): Promise<Samples> {
  const [market, wallet, builder, combo, game] = await Promise.all([
    selectMarketSample(sql, nowMs),
    selectWalletSample(sql),
    selectBuilderSample(sql),
    selectComboSample(sql),
    selectGameSample(sql, nowMs),
  ])
  const token = market?.token
  return {
    wallet: wallet?.address,
    builder: builder?.code,
    token_id: token === undefined ? undefined : toTokenId(token),
    condition_id: market?.condition,
    market_slug: market?.slug,
    event_slug: market?.eventSlug,
    tag: market?.tag,
    combo_wallet: combo?.address,
    combo_condition_id: combo?.condition,
    game_slug: game?.slug,
    league: game?.slug.split('-')[0],
    game_event_id: game?.eventId,
    game_market_id: game?.marketId,
    series_id: game?.seriesId,
  }
}

/** Times that an answer needs, of the last minutes. */
export function sampleTimes(nowMs: number) {
  const now = Math.floor(nowMs / 1000)
  const today = new Date(nowMs).toISOString().slice(0, 10)
  const lastWindow = (Math.floor(now / 300) - 1) * 300
  return {
    now_ms: now * 1000,
    minute_ago_ms: (now - 60) * 1000,
    hour_ago: now - 3_600,
    last_window: lastWindow,
    last_window_time: toIsoSecond(lastWindow),
    today,
    midnight: `${today}T00:00:00Z`,
  }
}

/** The market that is traded most, if possible one that stays open for a day. Bytes are hex text. */
async function selectMarketSample(sql: Sql, nowMs: number) {
  type Row = { token: string; condition: string; slug: string; eventSlug: string; tag: string }
  const [row] = await sql<Row[]>`
    select ${hex(sql, 't.token')} as token, ${hex(sql, 'm.condition')} as condition,
           m.slug, e.slug as event_slug, g.slug as tag
      from (select token, count(*) as fills
              from (select token from fills order by seq desc limit ${RECENT_ROWS}) recent
             group by token) traded
      join tokens t on t.id = traded.token
      join market_tokens mt on mt.token = t.token
      join markets m on m.id = mt.market
      join events e on e.id = m.event
      join event_tags et on et.event = e.id and et.place = 0
      join tags g on g.id = et.tag
     where m.slug is not null and e.slug is not null and g.slug is not null
     order by m.closed, m.end_at > ${new Date(nowMs)}::timestamptz + interval '1 day' desc nulls last,
              traded.fills desc, t.id
     limit 1`
  return row
}

/** A wallet that takes orders often, if possible one that has closed positions, redeemed some and moved money. */
async function selectWalletSample(sql: Sql) {
  const [row] = await sql<{ address: string }[]>`
    with recent as (select wallet, flags from fills order by seq desc limit ${RECENT_ROWS}),
         redeemed as (select wallet from redemptions order by seq desc limit ${RECENT_ROWS}),
         moved as (select from_wallet, to_wallet from flows order by seq desc limit ${RECENT_ROWS})
    select ${hex(sql, 'w.address')} as address
      from (select wallet, count(*) as fills from recent where ${isTakerOrder(sql)} group by wallet) takers
      join wallets w on w.id = takers.wallet
      left join wallet_totals t on t.wallet = takers.wallet
     order by (coalesce(t.wins + t.losses, 0) > 0)::integer
              + (takers.wallet in (select wallet from redeemed))::integer
              + (takers.wallet in (select from_wallet from moved
                                   union select to_wallet from moved))::integer desc,
              takers.fills desc, w.id
     limit 1`
  return row
}

async function selectBuilderSample(sql: Sql) {
  const [row] = await sql<{ code: string }[]>`
    select ${hex(sql, 'b.code')} as code
      from (select builder from fills order by seq desc limit ${RECENT_ROWS}) recent
      join builders b on b.id = recent.builder
     group by b.id
     order by count(*) desc, b.id
     limit 1`
  return row
}

/** A combo, and a wallet that traded combos and split, merged or redeemed one. Some events are of other modules. */
async function selectComboSample(sql: Sql) {
  const [row] = await sql<{ address: string; condition: string }[]>`
    select ${hex(sql, 'w.address')} as address,
           ${hex(sql, 'c.condition')} as condition
      from (select wallet, condition, seq from combo_events order by seq desc
             limit ${RECENT_ROWS}) recent
      join conditions c on c.id = recent.condition
      join wallets w on w.id = recent.wallet
      join combo_totals t on t.wallet = recent.wallet and t.fills > 0
     where get_byte(c.condition, 0) = ${COMBO_MODULE}
     order by recent.seq desc
     limit 1`
  return row
}

/** A game that is on, or else the next one. Index: events_open_end. */
async function selectGameSample(sql: Sql, nowMs: number) {
  type Row = { slug: string; eventId: string; marketId: string; seriesId: string }
  const [row] = await sql<Row[]>`
    with upcoming as (
      select id, slug, series, game_id, live, starts_at from events
       where not closed and coalesce(end_at, '-infinity') > ${new Date(nowMs)}
       order by coalesce(end_at, '-infinity'), id
       limit ${RECENT_ROWS}
    )
    select e.slug, e.id::text as event_id,
           (select series::text from upcoming where game_id is not null and series is not null limit 1) as series_id,
           (select m.id::text from markets m where m.event = e.id order by m.id limit 1) as market_id
      from upcoming e
     where e.game_id is not null and e.slug ~ '^[a-z0-9]+-.+-[0-9]{4}-[0-9]{2}-[0-9]{2}$'
       and exists (select from markets m where m.event = e.id)
     order by e.live desc nulls last, e.starts_at, e.id
     limit 1`
  return row
}
