import { createKey, retireKey } from '../src/accounts/accounts.js'
import { PLAN_IDS, type PlanId } from '../src/accounts/plans.js'
import { insertAccount, selectAccounts, selectKeys } from '../src/accounts/queries.js'
import type { Context } from '../src/context.js'
import type { PlanKeys } from './demo-file.js'

const LIST_MAX = 1_000

/** A working key for every plan: the known one where it still works, a new one otherwise. */
export async function prepareKeys(ctx: Context, known: PlanKeys): Promise<Record<PlanId, string>> {
  const keys: PlanKeys = {}
  for (const plan of PLAN_IDS) keys[plan] = await prepareKey(ctx, plan, known[plan])
  return keys as Record<PlanId, string>
}

async function prepareKey(ctx: Context, plan: PlanId, known: string | undefined): Promise<string> {
  if (known !== undefined) {
    const caller = await ctx.keyRing.find(known)
    if (caller?.plan.id === plan) return known
  }
  const nowMs = ctx.clock.now()
  const name = `demo ${plan}`
  const accounts = await selectAccounts(ctx.sql, LIST_MAX)
  const account = accounts.find((row) => row.name === name && row.plan === plan)
  const accountId = account?.id ?? (await insertAccount(ctx.sql, { name, plan, nowMs }))

  // Nobody knows the earlier keys any more, and they count toward what the plan allows.
  for (const key of await selectKeys(ctx.sql, accountId, LIST_MAX)) {
    if (key.revokedAt === null) await retireKey(ctx.sql, key.id, nowMs)
  }
  const { secret } = await createKey(ctx.sql, { accountId, name, nowMs })
  return secret
}
