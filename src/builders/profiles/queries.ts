import type { Sql } from '../../store/connection.js'

/** A builder on the platform's board. `volume` counts shares, as a decimal. */
export type BoardProfile = {
  code: string
  name: string | null
  logo: string | null
  verified: boolean
  rank: number
  volume: string
  activeUsers: number
}

/** Stores the whole board. Builders that are not on it keep their profile without a rank. */
export async function upsertBuilderProfiles(
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
