import { readFileSync } from 'node:fs'
import { messageOf, OperatorError } from '../core/errors.js'
import { nearest } from '../lib/edit-distance.js'
import { type Agreements, DEFAULT_PLANS, type Grants, PLAN_IDS, type Plan, Plans } from './plans.js'

type Kind = { name: string; isValid: (value: unknown) => boolean }

const isNumberIn = (value: unknown, max: number): value is number =>
  typeof value === 'number' && value >= 0 && value <= max

const count = (max = 2 ** 31 - 1): Kind => ({
  name: `an integer from 0 to ${max}`,
  isValid: (value) => Number.isInteger(value) && isNumberIn(value, max),
})
const positive = (max: number): Kind => ({
  name: `an integer from 1 to ${max}`,
  isValid: (value) => value !== 0 && count(max).isValid(value),
})
const limit = (max?: number): Kind => {
  const { name, isValid } = count(max)
  const isLimit = (value: unknown) => value === null || isValid(value)
  return { name: `${name}, or null for no limit`, isValid: isLimit }
}
const bytes = limit(Number.MAX_SAFE_INTEGER)
const flag: Kind = { name: 'true or false', isValid: (value) => typeof value === 'boolean' }
const price: Kind = {
  name: 'a number of dollars, or null',
  isValid: (value) => value === null || isNumberIn(value, 1e9),
}

/** The fields of a plan as `/v1/plans` shows them. What is kept in memory for them bounds some. */
const FIELDS: Record<string, { grant: keyof Grants; kind: Kind }> = {
  price_usd_per_month: { grant: 'priceUsdPerMonth', kind: price },
  api_keys: { grant: 'keysMax', kind: count(1_000) },
  rest_per_minute: { grant: 'restPerMinute', kind: count(1_000_000) },
  v3_per_minute: { grant: 'v3PerMinute', kind: count(1_000_000) },
  v3_heavy_per_minute: { grant: 'v3HeavyPerMinute', kind: count(1_000_000) },
  work_per_second: { grant: 'workPerSecond', kind: positive(100_000) },
  large_answers: { grant: 'largeAnswersMax', kind: count(32) },
  condition_positions_page: { grant: 'conditionPositionsPageMax', kind: count(1_000) },
  trade_export: { grant: 'tradeExport', kind: flag },
  copy_pnl_pool: { grant: 'copyPnlPoolMax', kind: count(10_000) },
  social_per_month: { grant: 'socialPerMonth', kind: count() },
  'websocket.event_connections': { grant: 'eventSocketsMax', kind: limit() },
  'websocket.orderbook_connections': { grant: 'orderbookSocketsMax', kind: limit() },
  'websocket.firehose_connections': { grant: 'firehosesMax', kind: limit() },
  'websocket.replays': { grant: 'replaysMax', kind: limit() },
  'websocket.replay_hours': { grant: 'replayHoursMax', kind: limit() },
  'websocket.filter_items': { grant: 'filterItemsMax', kind: limit() },
  'websocket.session_seconds_per_day': { grant: 'socketSecondsPerDay', kind: limit(86_400) },
  'websocket.snapshot_count': { grant: 'snapshotCountMax', kind: count(500) },
  'websocket.since_lookback_ms': { grant: 'sinceLookbackMs', kind: count(300_000) },
  'webhooks.count': { grant: 'webhooksMax', kind: count(100_000) },
  'webhooks.deliveries_per_day': { grant: 'webhookDeliveriesPerDay', kind: limit() },
  'included_per_month.api_requests': { grant: 'requestsPerMonth', kind: bytes },
  'included_per_month.ws_market_bytes': { grant: 'marketBytesPerMonth', kind: bytes },
  'included_per_month.ws_onchain_bytes': { grant: 'onchainBytesPerMonth', kind: bytes },
}
const GROUPS = ['websocket', 'webhooks', 'included_per_month']

/**
 * The plans of a service: the defaults, or what the operator's file makes of them. Throws an
 * `OperatorError` that names the field that is wrong.
 */
export function readPlans(path: string | undefined): Plans {
  if (path === undefined) return new Plans()
  try {
    return parsePlans(parseJson(readFileSync(path, 'utf8')))
  } catch (error) {
    throw new OperatorError(`AUSPEX_PLANS=${path}: ${messageOf(error)}`, 2, { cause: error })
  }
}

/** Throws an Error whose message names the field. */
export function parsePlans(content: unknown): Plans {
  const { plans = {}, accounts = {}, ...rest } = readObject(content, '')
  refuseUnknown(rest, '', ['plans', 'accounts'])
  const entries = Object.entries(readObject(plans, 'plans'))
  const read = new Map<string, Plan>(Object.entries(DEFAULT_PLANS))
  for (const [id, value] of entries) read.set(id, parsePlan(id, value))
  return new Plans([...read.values()], parseAgreements(readObject(accounts, 'accounts')))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`the file is not valid JSON: ${messageOf(error)}`)
  }
}

function parsePlan(id: string, value: unknown): Plan {
  const path = `plans.${id}`
  if (!/^[a-z][a-z0-9_-]{0,31}$/.test(id)) {
    throw new Error(`${path}: a plan's name has 1 to 32 of a-z, 0-9, _ and -, a letter first`)
  }
  const { extends: base, offered: isOffered = true, ...fields } = readObject(value, path)
  if (typeof isOffered !== 'boolean') throw refusal(`${path}.offered`, flag.name, isOffered)
  const own = PLAN_IDS.find((each) => each === id)
  const extended = own ?? PLAN_IDS.find((each) => each === base)
  const isRight = own === undefined ? extended !== undefined : base === undefined
  if (extended === undefined || !isRight) throw refuseExtends(id, base)
  return { ...DEFAULT_PLANS[extended], ...parseGrants(fields, path), id, isOffered }
}

const refuseExtends = (id: string, base: unknown) =>
  new Error(
    PLAN_IDS.some((each) => each === id)
      ? `plans.${id}.extends: ${id} is one of the plans that others extend; leave it out`
      : `plans.${id}.extends must be one of ${PLAN_IDS.join(', ')}, and is ${show(base)}: ` +
          'the plan has what it grants and may use its endpoints',
  )

function parseAgreements(accounts: Record<string, unknown>): Agreements {
  const entries = Object.entries(accounts).map(([account, value]) => {
    const path = `accounts.${account}`
    const digits = /^acc_(\d{1,9})$/.exec(account)?.[1]
    if (digits === undefined) throw new Error(`${path}: an account looks like acc_7`)
    return [Number(digits), parseGrants(readObject(value, path), path)] as const
  })
  return new Map(entries)
}

function parseGrants(fields: Record<string, unknown>, path: string): Partial<Grants> {
  const flat = Object.entries(fields).flatMap(([name, value]) =>
    GROUPS.includes(name)
      ? Object.entries(readObject(value, `${path}.${name}`)).map(
          ([inner, each]) => [`${name}.${inner}`, each] as const,
        )
      : [[name, value] as const],
  )
  refuseUnknown(Object.fromEntries(flat), `${path}.`, Object.keys(FIELDS))
  const grants = flat.map(([name, value]) => {
    const { grant, kind } = FIELDS[name] ?? {}
    if (kind?.isValid(value) === true) return [grant, value]
    throw refusal(`${path}.${name}`, kind?.name ?? 'a known field', value)
  })
  return Object.fromEntries(grants) as Partial<Grants>
}

function readObject(value: unknown, path: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>
  }
  throw refusal(path === '' ? 'the file' : path, 'a JSON object', value)
}

function refuseUnknown(fields: object, path: string, known: readonly string[]): void {
  const [unknown] = Object.keys(fields).filter((name) => !known.includes(name))
  if (unknown === undefined) return
  const meant = nearest(unknown, known)
  const hint = meant === undefined ? `Known: ${known.join(', ')}.` : `Did you mean ${meant}?`
  throw new Error(`${path}${unknown} is not a field. ${hint}`)
}

const refusal = (path: string, expected: string, value: unknown) =>
  new Error(`${path} must be ${expected}, and is ${show(value)}`)

const show = (value: unknown): string => JSON.stringify(value)?.slice(0, 60) ?? 'missing'
