import type { Fragment, Sql } from './connection.js'

/**
 * A digest of the rows `stored`, whatever their order; 0 without rows. What a job computes from the state of a moment is
 * stored with one, because no later state shows that a row was changed since.
 */
export const rowsDigest = (sql: Sql): Fragment => sql`coalesce(bit_xor(hash_record_extended(stored, 0)), 0)`
