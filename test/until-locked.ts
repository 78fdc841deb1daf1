import { expect, vi } from 'vitest'
import type { Sql } from '../src/store/connection.js'

/** Waits until this many transactions of the database wait for a lock. */
export const untilLocked = (sql: Sql, count: number) =>
  vi.waitFor(
    async () => {
      const rows = await sql`
        select from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`
      expect(rows).toHaveLength(count)
    },
    { timeout: 60_000, interval: 5 },
  )
