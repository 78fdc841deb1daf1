import { createKey } from '../src/accounts/accounts.js'
import { type PlanId, Plans } from '../src/accounts/plans.js'
import { insertAccount } from '../src/accounts/queries.js'
import type { Pool } from '../src/store/connection.js'

/** A key of a new account, made as an operator makes one, for services that run as processes. */
export async function issueKey(sql: Pool, plan: PlanId) {
  const of = { name: 'a', plans: new Plans(), nowMs: Date.now() }
  const accountId = await insertAccount(sql, { ...of, plan })
  return await createKey(sql, { ...of, accountId })
}
