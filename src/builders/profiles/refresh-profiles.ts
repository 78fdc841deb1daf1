import type { Clock } from '../../core/clock.js'
import { parseBytes32 } from '../../core/ids.js'
import type { Pool } from '../../store/connection.js'
import type { DataApiClient } from '../../upstreams/data-api/client.js'
import type { DataBuilder } from '../../upstreams/data-api/parse.js'
import { type BoardProfile, upsertBuilderProfiles } from './queries.js'

export type ProfileDeps = { store: { readonly sql: Pool }; clock: Clock; dataApi: DataApiClient }

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
