import type { Sql } from '../../store/connection.js'

/** Has the dispatcher look at webhooks now. Their lanes are locked until the transaction ends. */
export async function wakeLanes(tx: Sql, webhooks: readonly number[], nowMs: number) {
  if (webhooks.length === 0) return
  await tx`
    insert into webhook_lanes as lane (webhook, next_at)
    select webhook, ${new Date(nowMs)}
      from unnest(${webhooks}::int[]) as webhook
     group by webhook
     order by webhook
    on conflict (webhook) do update set next_at = least(lane.next_at, excluded.next_at)`
}
