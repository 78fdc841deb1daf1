import type { Plans } from '../../accounts/plans.js'
import { utcDay } from '../../core/unix-time.js'
import type { Sql } from '../../store/connection.js'

/**
 * How many deliveries accounts have left on the UTC day of `nowMs`; `null`: as many as they like. The
 * counts are locked until the transaction ends. An account on a plan that this service does not know has
 * those of the free plan.
 */
export async function lockAllowances(
  tx: Sql,
  { plans, accountIds, nowMs }: { plans: Plans; accountIds: readonly number[]; nowMs: number },
): Promise<Map<number, number | null>> {
  const rows = await tx<{ accountId: number; plan: string; deliveries: bigint }[]>`
    with day as (
      insert into webhook_days as day (account_id, day, deliveries)
      select account_id, ${utcDay(nowMs)}, 0
        from unnest(${accountIds}::int[]) as account_id
       group by account_id
       order by account_id
      on conflict (account_id, day) do update set deliveries = day.deliveries
      returning account_id, deliveries)
    select day.account_id, a.plan, day.deliveries
      from day
      join accounts a on a.id = day.account_id`
  return new Map(
    rows.map(({ accountId, plan, deliveries }) => {
      const { webhookDeliveriesPerDay: max } = plans.of(accountId, plan) ?? plans.free
      return [accountId, max === null ? null : Math.max(0, max - Number(deliveries))]
    }),
  )
}

/** Counts deliveries on the UTC day of `nowMs`. */
export async function countDeliveries(
  tx: Sql,
  counts: ReadonlyMap<number, number>,
  nowMs: number,
): Promise<void> {
  await tx`
    update webhook_days day
       set deliveries = day.deliveries + more.count
      from unnest(${[...counts.keys()]}::int[], ${[...counts.values()]}::int[])
           as more (account_id, count)
     where day.account_id = more.account_id
       and day.day = ${utcDay(nowMs)}`
}
