import type { Clock } from '../../core/clock.js'
import { parseBytes32 } from '../../core/ids.js'
import type { Pool, Sql } from '../../store/connection.js'
import type { DataApiClient } from '../../upstreams/data-api/client.js'
import type { DataBuilder } from '../../upstreams/data-api/parse.js'

type ProfileDeps = { store: { readonly sql: Pool }; clock: Clock; dataApi: DataApiClient }

/** Copies the board of builders. While the Data API does not answer the last copy stays. */
export async function refreshProfiles(
  { store, clock, dataApi }: ProfileDeps,
  signal: AbortSignal,
): Promise<void> {
  const builders = await dataApi.listBuilders(signal)
  const profiles = new Map(builders.flatMap(toProfile).map((profile) => [profile.code, profile]))
  // A board without builders is a fault of the upstream: it would take the rank from all.
  if (profiles.size === 0) return
  await upsertBuilderProfiles(store.sql, [...profiles.values()], clock.now())
}

/** Nothing for an app without a code: no order can name it. */
function toProfile({ code, name, logo, verified, ...board }: DataBuilder): BoardProfile[] {
  const known = parseBytes32(code)
  if (known === undefined) return []
  // The board shows an app without a name under its code.
  const isNamed = name !== undefined && name.toLowerCase() !== known
  return [
    {
      code: known,
      name: isNamed ? name : null,
      logo: logo ?? null,
      verified,
      rank: board.rank,
      volume: board.volume,
      activeUsers: board.activeUsers,
    },
  ]
}

/** A builder on the platform's board. `volume` counts shares, as a decimal. */
type BoardProfile = {
  code: string
  name: string | null
  logo: string | null
  verified: boolean
  rank: number
  volume: string
  activeUsers: number
}

/** Stores the whole board. Builders that are not on it keep their profile without a rank. */
async function upsertBuilderProfiles(
  sql: Sql,
  profiles: readonly BoardProfile[],
  nowMs: number,
): Promise<void> {
  const rows = JSON.stringify(profiles)
  const readAt = new Date(nowMs)
  await sql`
    with board as (
      select decode(substr(code, 3), 'hex') as code, name, logo, verified, rank, volume,
             "activeUsers" as active_users
        from json_to_recordset(${rows}::text::json) as board_row (
          code text, name text, logo text, verified boolean, rank integer, volume numeric,
          "activeUsers" integer
        )
    ), gone as (
      update builder_profiles p
         set external_rank = null, external_volume = null, external_active_users = null,
             read_at = ${readAt}
       where not exists (select from board where board.code = p.code)
    )
    insert into builder_profiles
           (code, name, logo, verified, external_rank, external_volume, external_active_users, read_at)
    select code, name, logo, verified, rank, volume, active_users, ${readAt}
      from board
        on conflict (code) do update
       set name = excluded.name, logo = excluded.logo, verified = excluded.verified,
           external_rank = excluded.external_rank, external_volume = excluded.external_volume,
           external_active_users = excluded.external_active_users, read_at = excluded.read_at`
}
