import { parseTokenId } from '../../core/ids.js'
import { groupBy } from '../../lib/group-by.js'
import type { Sql } from '../../store/connection.js'
import type { CancelledDelivery } from '../deliver/enqueue.js'
import type { WebhookEventType } from '../event-types.js'
import type { WebhookFilters } from '../filters.js'
import type { Occurrence, ValueChange } from './detector.js'

/** An occurrence with a change, and a webhook whose other filters it passes. */
export type MatchedChange = {
  webhook: number
  filters: WebhookFilters
  occurrence: Occurrence & { change: ValueChange }
}

/** The webhook hears of the change; `base` is what the value is measured against. */
export type FiredChange<Each extends MatchedChange> = { matched: Each; base: bigint }

const MILLION = 1_000_000n

/**
 * The values that webhooks with a threshold measure changes against: of a webhook, an event type, a
 * wallet and a token, the value of the last event. A webhook that has none begins with the value before
 * the first change that it sees. Webhooks without a threshold hear of every change and need no base.
 */
export class Baselines {
  readonly #sql: Sql
  /** By key; `undefined`: the key was selected and has no row. */
  readonly #values = new Map<string, bigint | undefined>()
  readonly #changed = new Map<string, BaseRow>()

  constructor(sql: Sql) {
    this.#sql = sql
  }

  /** Those of the matched changes that are events. All calls of a pass together are in the order of `seq`. */
  async decide<Each extends MatchedChange>(pairs: readonly Each[]): Promise<FiredChange<Each>[]> {
    await this.#load(pairs.filter((pair) => thresholdOf(pair) > 0n))
    return pairs.flatMap((matched) => {
      const base = this.#step(matched)
      return base === undefined ? [] : [{ matched, base }]
    })
  }

  async store(tx: Sql): Promise<void> {
    const rows = [...this.#changed.values()]
    if (rows.length === 0) return
    await tx`
      insert into webhook_bases (webhook, event_type, wallet, token, value)
      select webhook, event_type, decode(substr(wallet, 3), 'hex'), decode(substr(token, 3), 'hex'), value
        from unnest(${rows.map(({ webhook }) => webhook)}::integer[],
                    ${rows.map(({ type }) => type)}::text[],
                    ${rows.map(({ wallet }) => wallet)}::text[],
                    ${rows.map(({ token }) => token)}::text[],
                    ${rows.map(({ value }) => String(value))}::bigint[])
          as changed (webhook, event_type, wallet, token, value)
       where exists (select from webhooks where id = webhook)
      on conflict (webhook, event_type, wallet, token) do update set value = excluded.value`
  }

  /** The base of the change; `undefined`: it did not move far enough. */
  #step(matched: MatchedChange): bigint | undefined {
    const { webhook, occurrence } = matched
    const { type, change } = occurrence
    const { value, before } = change
    const threshold = thresholdOf(matched)
    if (threshold <= 0n) return value === before ? undefined : before
    const row = { webhook, type, wallet: change.wallet, token: change.token }
    const key = keyOf(row)
    const known = this.#values.get(key)
    const base = known ?? before
    const isEvent = hasMoved(type, value, base, threshold)
    const next = isEvent ? value : base
    if (next !== known) {
      this.#values.set(key, next)
      this.#changed.set(key, { ...row, value: next })
    }
    return isEvent ? base : undefined
  }

  /** Index: the primary key. */
  async #load(pairs: readonly MatchedChange[]): Promise<void> {
    const missing = new Map<string, BaseKey>()
    for (const { webhook, occurrence } of pairs) {
      const { wallet, token } = occurrence.change
      const row = { webhook, type: occurrence.type, wallet, token }
      const key = keyOf(row)
      if (!this.#values.has(key)) missing.set(key, row)
    }
    if (missing.size === 0) return
    for (const key of missing.keys()) this.#values.set(key, undefined)
    const keys = [...missing.values()]
    const rows = await this.#sql<BaseRow[]>`
      select requested.webhook, requested.type, requested.wallet, requested.token, b.value
        from unnest(${keys.map(({ webhook }) => webhook)}::integer[],
                    ${keys.map(({ type }) => type)}::text[],
                    ${keys.map(({ wallet }) => wallet)}::text[],
                    ${keys.map(({ token }) => token)}::text[])
          as requested (webhook, type, wallet, token)
        join webhook_bases b
          on b.webhook = requested.webhook and b.event_type = requested.type
         and b.wallet = decode(substr(requested.wallet, 3), 'hex')
         and b.token = decode(substr(requested.token, 3), 'hex')`
    for (const row of rows) this.#values.set(keyOf(row), row.value)
  }
}

type BaseKey = { webhook: number; type: WebhookEventType; wallet: string; token: string }
type BaseRow = BaseKey & { value: bigint }

const keyOf = ({ webhook, type, wallet, token }: BaseKey): string => `${webhook} ${type} ${wallet} ${token}`

/** Millionths of a percent or of a dollar; 0: the webhook names none. */
function thresholdOf({ filters, occurrence }: MatchedChange): bigint {
  const threshold = occurrence.type === 'price_change' ? filters.min_delta_pct : filters.min_pnl_change_usd
  return BigInt(Math.round((threshold ?? 0) * 1e6))
}

/** Exact. From a price of nothing every step is large enough. */
function hasMoved(type: WebhookEventType, value: bigint, base: bigint, threshold: bigint): boolean {
  const distance = value > base ? value - base : base - value
  if (distance === 0n) return false
  return type === 'price_change' ? distance * 100n * MILLION >= threshold * base : distance >= threshold
}

type Step = BaseKey & { from: bigint; to: bigint }

/**
 * Takes bases back to where they were before events that are not sent after all. The order of the
 * events need not be known: each goes on from the value of the one before it, so the first is the one
 * whose previous value no other has reached.
 */
export async function restoreBaselines(tx: Sql, cancelled: readonly CancelledDelivery[]): Promise<void> {
  const paths = groupBy(cancelled.flatMap(toStep), keyOf)
  const rows = [...paths.values()].flatMap((steps) => {
    const { from, to } = endsOf(steps)
    return from === undefined || to === undefined ? [] : [{ ...steps[0], from, to }]
  })
  if (rows.length === 0) return
  await tx`
    update webhook_bases b set value = back.value
      from unnest(${rows.map(({ webhook }) => webhook)}::integer[],
                  ${rows.map(({ type }) => type)}::text[],
                  ${rows.map(({ wallet }) => wallet)}::text[],
                  ${rows.map(({ token }) => token)}::text[],
                  ${rows.map(({ from }) => String(from))}::bigint[],
                  ${rows.map(({ to }) => String(to))}::bigint[])
        as back (webhook, type, wallet, token, value, reached)
     where b.webhook = back.webhook and b.event_type = back.type
       and b.wallet = decode(substr(back.wallet, 3), 'hex')
       and b.token = decode(substr(back.token, 3), 'hex')
       and b.value = back.reached`
}

/** Where a path of steps begins and ends; both `undefined` when it came back to where it began. */
function endsOf(steps: readonly Step[]): { from: bigint | undefined; to: bigint | undefined } {
  const departures = new Map<bigint, number>()
  const count = (value: bigint, change: number) =>
    departures.set(value, (departures.get(value) ?? 0) + change)
  for (const { from, to } of steps) {
    count(from, 1)
    count(to, -1)
  }
  const find = (wanted: number) => [...departures].find(([, left]) => left === wanted)?.[0]
  return { from: find(1), to: find(-1) }
}

/** Which fields of a payload say from where to where its value went. */
const STEP_FIELDS: { readonly [Type in WebhookEventType]?: readonly [from: string, to: string] } = {
  price_change: ['previous_price', 'price'],
  pnl_change: ['previous_realized_pnl', 'realized_pnl'],
}

function toStep({ webhook, eventType: type, body }: CancelledDelivery): Step[] {
  const { data } = JSON.parse(body) as { data: Record<string, unknown> }
  const token = parseTokenId(String(data.token_id))
  const [from, to] = STEP_FIELDS[type] ?? []
  if (token === undefined || from === undefined || to === undefined) return []
  const wallet = String(data.wallet ?? '')
  return [{ webhook, type, wallet, token, from: toMillionths(data[from]), to: toMillionths(data[to]) }]
}

const toMillionths = (value: unknown): bigint => BigInt(Math.round(Number(value) * 1e6))
