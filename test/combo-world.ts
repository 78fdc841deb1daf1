import { refreshComboAggregates, refreshComboRanks } from '../src/combos/aggregates.js'
import type { Sql } from '../src/store/connection.js'
import { type ApiWorld, openApiWorld } from './api-world.js'

export type ComboWorld = ApiWorld & { busiest: Busiest }

/** What has the most rows, as callers name it: wallets by their trades and other acts, and a combo. */
type Busiest = { trader: string; actor: string; condition: string }

/** A history in which most trades go to combos, with the kinds of events that its wallets do not cause. */
export async function openComboWorld(): Promise<ComboWorld> {
  const world = await openApiWorld({ comboShare: 0.6, intensity: 1.5, historyMs: 45 * 60_000 })
  await addRareEvents(world)
  await refreshComboAggregates(world.ctx.sql, new AbortController().signal)
  await refreshComboRanks(world.ctx.sql)
  return { ...world, busiest: await selectBusiest(world.ctx.sql) }
}

const RARE_KINDS = [
  'positionsSplit',
  'positionsMerged',
  'splitOnCondition',
  'mergedOnEvent',
  'convertedOnEvent',
  'comboWrapped',
  'comboUnwrapped',
  'compressed',
  'extracted',
  'injected',
  'convertedToYesBasket',
  'mergedFromYesBasket',
  'horizontalSplit',
  'positionMigrated',
]

/** One of each, of the wallet and of the combo that have the most redemptions. */
async function addRareEvents({ ctx: { sql } }: ApiWorld): Promise<void> {
  await sql`
    insert into combo_events (seq, amount, wallet, contract, condition, kind, tokens, tx_hash)
    select (b.number::bigint << 20) + 1048000, 1000000 * kind.place, busiest.wallet, 0,
           busiest.condition, kind.name,
           (select array_agg(id order by outcome) from tokens where condition = busiest.condition),
           decode(repeat('ab', 32), 'hex')
      from unnest(${RARE_KINDS}::text[]) with ordinality kind (name, place)
      join (select number, row_number() over (order by number) as place from blocks) b
        on b.place = kind.place * 20
     cross join (
       select (select wallet from combo_events group by 1 order by count(*) desc, 1 limit 1) as wallet,
              (select e.condition from combo_events e join combos c on c.condition = e.condition
                group by 1 order by count(*) desc, 1 limit 1) as condition
     ) busiest`
}

export async function selectBusiest(sql: Sql): Promise<Busiest> {
  const [row] = await sql<Busiest[]>`
    select (select '0x' || encode(address, 'hex') from wallets where id =
              (select wallet from fills where flags & 128 <> 0
                group by 1 order by count(*) desc, 1 limit 1)) as trader,
           (select '0x' || encode(address, 'hex') from wallets where id =
              (select wallet from combo_events group by 1 order by count(*) desc, 1 limit 1)) as actor,
           (select '0x' || encode(condition, 'hex') from conditions where id =
              (select condition from combo_events
                group by 1 order by count(*) desc, 1 limit 1)) as condition`
  if (row === undefined) throw new Error('the history has no combos')
  return row
}
