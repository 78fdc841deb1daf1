import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isBet } from '../markets/names.js'
import type { Act } from '../universe/acts.js'
import type { Market } from '../universe/market.js'
import type { Universe } from '../universe/universe.js'
import { openTestWorld, type TestWorld } from './test-world.js'

// The shapes that the venue's newest client demands of every route of the second version: reference
// upstreams.md §14.1 and §14.2. Keys that a client does not know are ignored by it, and so they are here.

type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === 'string'
const isDecimal: Check = (value) =>
  (typeof value === 'number' && Number.isFinite(value)) ||
  (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value))
const isInt: Check = Number.isSafeInteger
const matches =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value)

/** By the letters of the reference. */
const CHECKS = {
  text: isText,
  decimal: isDecimal,
  int: isInt,
  flag: (value: unknown) => typeof value === 'boolean',
  address: matches(/^0x[0-9a-f]{40}$/),
  hash: matches(/^0x[0-9a-f]{64}$/),
  condition: matches(/^0x(?:[0-9a-f]{64}|[0-9a-f]{62})$/),
  comboCondition: matches(/^0x03[0-9a-f]{60}$/),
  token: matches(/^[0-9]{1,78}$/),
  date: matches(/^\d{4}-\d{2}-\d{2}$/),
  time: (value: unknown) => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
  timeOrSecond: (value: unknown) =>
    isInt(value) || (typeof value === 'string' && !Number.isNaN(Date.parse(value))),
} satisfies Record<string, Check>
type CheckName = keyof typeof CHECKS

/** Names of fields by what they are. */
type Fields = { readonly [Name in CheckName]?: string }
type Shape = {
  required: Fields
  /** Null, absent, or of this kind. */
  optional?: Fields
  choices?: Readonly<Record<string, readonly unknown[]>>
  lists?: Readonly<Record<string, Shape>>
}

const DISPLAY = 'title slug icon event_slug outcome name profile_image'

const TRADE: Shape = {
  required: {
    address: 'proxy_wallet',
    token: 'token_id',
    condition: 'condition_id',
    decimal: 'size price',
    int: 'timestamp',
    hash: 'transaction_hash',
  },
  optional: { text: `${DISPLAY} pseudonym bio profile_image_optimized`, int: 'outcome_index' },
  choices: { side: ['BUY', 'SELL'] },
}

const ACTIVITY: Shape = {
  required: {
    address: 'proxy_wallet',
    decimal: 'usdc_size size price',
    int: 'timestamp',
    hash: 'transaction_hash',
  },
  optional: { text: DISPLAY, int: 'outcome_index', flag: 'is_combo' },
}

const POSITION_MONEY =
  'avg_price entry_cost_usdc current_price current_value realized_pnl unrealized_pnl total_pnl'

const POSITION: Shape = {
  required: {
    address: 'proxy_wallet',
    token: 'token_id',
    condition: 'condition_id',
    decimal: `current_size ${POSITION_MONEY} entry_fees_usdc total_cost_usdc total_size percent_pnl percent_realized_pnl`,
    flag: 'redeemable mergeable negative_risk archived verified',
  },
  optional: {
    text: `${DISPLAY} event_id opposite_outcome`,
    token: 'opposite_token_id',
    int: 'outcome_index last_event_at first_entry_at',
    date: 'end_date',
  },
  choices: { status: ['OPEN', 'REDEEMABLE', 'CLOSED'] },
}

const LEG_STATUSES = ['OPEN', 'RESOLVED_PARTIAL', 'RESOLVED_WIN', 'RESOLVED_LOSS']
const LEG: Shape = {
  required: {
    int: 'leg_index leg_outcome_index',
    token: 'leg_position_id',
    condition: 'leg_condition_id',
  },
  optional: { text: 'leg_outcome_label', time: 'leg_resolved_at', decimal: 'leg_current_price' },
  choices: { leg_status: LEG_STATUSES },
}

const COMBO_POSITION: Shape = {
  required: {
    comboCondition: 'combo_condition_id',
    token: 'combo_position_id',
    address: 'proxy_wallet',
    int: 'outcome_index legs_total legs_resolved legs_pending',
    text: 'outcome_label',
    decimal:
      'current_size entry_avg_price_usdc entry_cost_usdc gross_entry_cost_usdc entry_fees_usdc realized_payout_usdc',
    flag: 'redeemable',
    time: 'first_entry_at updated_at',
  },
  optional: { time: 'resolved_at' },
  choices: { status: [...LEG_STATUSES, 'PARTIAL', 'REDEEMABLE'] },
  lists: { legs: LEG },
}

const COMBO_ACTIVITY: Shape = {
  required: {
    text: 'id',
    address: 'proxy_wallet',
    comboCondition: 'combo_condition_id',
    token: 'combo_position_id',
    int: 'timestamp block_number',
    hash: 'transaction_hash',
  },
  optional: { decimal: 'amount_usdc payout_usdc' },
  choices: { type: ['SPLIT', 'MERGE', 'CONVERT', 'COMPRESS', 'WRAP', 'UNWRAP', 'REDEEM'] },
  lists: { legs: LEG },
}

const PNL_POINT: Shape = {
  required: {
    int: 'timestamp source_block trade_count',
    decimal: 'realized_market_pnl realized_lp_pnl realized_combo_pnl realized_pnl volume volume_usdc',
  },
  optional: { decimal: 'unrealized_pnl maker_rebate position_pnl settled_pnl fees_paid' },
}

const HOLDER: Shape = {
  required: {
    address: 'proxy_wallet',
    token: 'token_id',
    decimal: 'amount',
    flag: 'display_username_public verified',
    text: 'bio pseudonym name profile_image profile_image_optimized',
  },
  optional: { int: 'outcome_index' },
}

const STANDING: Shape = {
  required: { address: 'user_id', decimal: 'pnl volume', flag: 'verified' },
  optional: { text: 'user_name profile_image x_username', int: 'rank_pnl rank_volume' },
}

const BUILDER: Shape = {
  required: {
    int: 'rank active_users',
    text: 'builder_name',
    hash: 'builder_code',
    flag: 'verified',
    decimal: 'volume',
  },
  optional: { text: 'profile_image' },
}

const TOKEN: Shape = {
  required: { token: 'token_id', hash: 'condition_id', int: 'outcome_index', flag: 'resolved' },
  optional: {
    hash: 'structural_condition_id neg_risk_market_id',
    int: 'clob_index question_index event_id',
    text: 'outcome title market_slug event_slug',
    token: 'opposite_token_id',
    decimal: 'final_price',
    flag: 'closed neg_risk',
  },
  choices: { module: ['v1_ctf', 'binary', 'neg_risk', 'combo'] },
}

const RESOLUTION: Shape = {
  required: {
    flag: 'extended_review was_disputed new_version_q',
    timeOrSecond: 'last_update_timestamp',
  },
  optional: {
    hash: 'question_id condition_id',
    decimal: 'proposed_price reproposed_price price',
    flag: 'was_arbitrated',
    time: 'resolved_at expected_settlement_time',
  },
  choices: {
    status: ['posed', 'proposed', 'reproposed', 'disputed', 'resolved'],
    market_type: ['BINARY', 'INCREMENTAL_NEGRISK'],
  },
}

const WINNER: Shape = {
  required: {
    int: 'win_rank event_id',
    address: 'user_id',
    decimal: 'pnl initial_value final_value',
    timeOrSecond: 'resolved_at',
    condition: 'condition_id',
    token: 'position_id',
    text: 'event_slug event_title',
  },
  optional: { text: 'user_name profile_image' },
  choices: { kind: ['market', 'combo'] },
}

/** What is wrong with a row. */
function listFaults(value: unknown, shape: Shape, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [`${path} is no object`]
  const row = new Map<string, unknown>(Object.entries(value))
  const faults = (fields: Fields, isOptional: boolean) =>
    Object.entries(fields).flatMap(([check, names]) =>
      names.split(' ').filter((name) => {
        const field = row.get(name)
        if (isOptional && (field === undefined || field === null)) return false
        return !CHECKS[check as CheckName](field)
      }),
    )
  const wrong = [
    ...faults(shape.required, false),
    ...faults(shape.optional ?? {}, true),
    ...Object.entries(shape.choices ?? {})
      .filter(([name, choices]) => !choices.includes(row.get(name)))
      .map(([name]) => name),
  ]
  const nested = Object.entries(shape.lists ?? {}).flatMap(([name, each]) =>
    listFaultsOfAll(row.get(name), each, `${path}.${name}`),
  )
  return [...wrong.map((name) => `${path}.${name}: ${JSON.stringify(row.get(name))}`), ...nested]
}

const listFaultsOfAll = (rows: unknown, shape: Shape, path: string): string[] =>
  Array.isArray(rows) ? rows.flatMap((row) => listFaults(row, shape, path)) : [`${path}: no list`]

let world: TestWorld
let universe: Universe
let resolved: Market[]
let traded: Market[]

beforeAll(async () => {
  world = await openTestWorld(3)
  universe = world.universe
  const markets = new Set(universe.settledActs.matches.map(({ tx }) => tx.act.of))
  traded = [...markets].flatMap((of) => (of.kind === 'market' ? [of] : [])).slice(-200)
  resolved = traded.filter((market) => universe.payouts(market) !== undefined)
})
afterAll(() => world.host.close())

/** The address of a wallet that did such a thing. */
function who(did: (act: Act) => boolean): string {
  const { settledActs, wallets } = universe
  const found = wallets.find((each) => settledActs.ofWallet(each).some(({ tx }) => did(tx.act)))
  return found?.address ?? expect.fail('no wallet did that')
}

const trader = () => who(({ kind }) => kind === 'redeem')
const conditions = (markets: readonly Market[]) =>
  markets
    .slice(-20)
    .map(({ conditionId }) => conditionId)
    .join(',')
const tokenOf = (market: Market | undefined) => market?.tokens[0].decimal

describe('lists with pages', () => {
  const KINDS = ['split', 'merge', 'convert', 'migrate', 'redeem', 'redeemCombo', 'match', 'deposit']

  test.each<[string, Shape, () => string]>([
    ['trades', TRADE, () => 'taker_only=false'],
    ...KINDS.map((kind): [string, Shape, () => string] => [
      'activity',
      ACTIVITY,
      () => `user=${who((act) => act.kind === kind)}&exclude_deposits_withdrawals=false`,
    ]),
    ['positions', POSITION, () => `user=${trader()}`],
    ['positions', POSITION, () => `user=${trader()}&status=CLOSED`],
    ['positions', POSITION, () => `condition_id=${traded.at(-1)?.conditionId}`],
    ['positions/combos', COMBO_POSITION, () => `user=${who((act) => act.kind === 'match' && isBet(act.of))}`],
    [
      'activity/combos',
      COMBO_ACTIVITY,
      () => `user=${who((act) => act.kind === 'redeemCombo' && isBet(act.token.of))}`,
    ],
    [
      'holders',
      { required: { token: 'token_id' }, lists: { holders: HOLDER } },
      () => `condition_id=${conditions(traded)}`,
    ],
    [
      'holders',
      {
        required: { token: 'token_id' },
        lists: {
          holders: { ...HOLDER, required: { ...HOLDER.required, decimal: POSITION_MONEY } },
        },
      },
      () => `condition_id=${traded.at(-1)?.conditionId}&include_pnl=true`,
    ],
    [
      'prices-history',
      { required: { int: 'timestamp resolution_seconds', decimal: 'price' } },
      () => `token_id=${tokenOf(traded.at(-1))}&interval=6h`,
    ],
    [
      'prices-history',
      { required: { int: 'timestamp', decimal: 'price' }, choices: { resolution_seconds: [0] } },
      () => `token_id=${tokenOf(traded.at(-1))}&as_of=${Math.floor(universe.nowMs / 1000)}`,
    ],
    ['leaderboard', { ...STANDING, required: { ...STANDING.required, int: 'rank' } }, () => ''],
    ['biggest-winners', WINNER, () => 'time_period=all'],
    ['builders/leaderboard', BUILDER, () => 'time_period=week'],
  ])('%s %#', async (route, shape, query) => {
    const path = `/v2/${route}?limit=100&${query()}`
    const { data, pagination } = await world.get<{ data: unknown[]; pagination: object }>(path)
    expect(data.length).toBeGreaterThan(0)
    expect(listFaultsOfAll(data, shape, route)).toEqual([])
    const cursor = Reflect.get(pagination, 'next_cursor')
    expect(pagination).toMatchObject({ has_more: cursor !== null })
    expect(cursor === null || (typeof cursor === 'string' && cursor !== '')).toBe(true)
  })

  test('activity of what belongs to a market names the market', async () => {
    for (const kind of ['split', 'merge', 'convert', 'redeem', 'redeemCombo', 'match']) {
      const user = who((act) => act.kind === kind)
      const { data } = await world.get<{ data: { type: string; condition_id: string }[] }>(
        `/v2/activity?user=${user}&limit=1000`,
      )
      const rows = data.filter(({ type }) => type !== 'MIGRATION')
      expect(rows.filter(({ condition_id }) => !CHECKS.condition(condition_id))).toEqual([])
    }
  })
})

describe('answers without pages', () => {
  test.each<[string, Shape, () => string]>([
    [
      'oi',
      { required: { condition: 'condition_id', decimal: 'value' } },
      () => `condition_id=${conditions(traded)}`,
    ],
    ['oi', { required: { decimal: 'value' }, choices: { condition_id: ['GLOBAL'] } }, () => ''],
    ['tokens', TOKEN, () => `condition=${conditions(traded.slice(-10))}`],
    ['tokens', TOKEN, () => `token_id=${universe.catalogue.combos()[0]?.tokens[1].decimal}`],
    ['resolutions', RESOLUTION, () => `condition_id=${conditions(resolved)}`],
    ['resolutions', RESOLUTION, () => `event_id=${traded.at(-1)?.event.id}`],
    ['resolutions', RESOLUTION, () => `question_id=${resolved.at(-1)?.questionId}`],
    [
      'builders/volume',
      { ...BUILDER, required: { ...BUILDER.required, date: 'date' } },
      () => 'interval=day&limit=3',
    ],
  ])('%s %#: a list', async (route, shape, query) => {
    const answer = await world.get<{ data: unknown[] }>(`/v2/${route}?${query()}`)
    expect(Object.keys(answer)).toEqual(['data'])
    expect(answer.data.length).toBeGreaterThan(0)
    expect(listFaultsOfAll(answer.data, shape, route)).toEqual([])
  })

  test.each<[string, Shape, () => string]>([
    ['value', { required: { address: 'proxy_wallet', decimal: 'value' } }, () => ''],
    [
      'user-stats',
      {
        required: {
          address: 'proxy_wallet',
          int: 'trades views join_date',
          decimal: 'biggest_win',
        },
      },
      () => '',
    ],
    [
      'user-pnl',
      {
        required: { address: 'proxy_wallet' },
        choices: { interval: ['1w'], fidelity: ['3h'], source_fidelity: ['3h'] },
        lists: { points: PNL_POINT },
      },
      () => 'interval=1w&fidelity=3h',
    ],
    ['user-volume', { required: { decimal: 'volume volume_usdc', int: 'trade_count' } }, () => ''],
    ['leaderboard', STANDING, () => 'time_period=all'],
    [
      'live-volume',
      {
        required: { decimal: 'taker_volume_total' },
        lists: { conditions: { required: { condition: 'condition_id', decimal: 'taker_volume' } } },
      },
      () => `event_id=${traded.at(-1)?.event.id}`,
    ],
  ])('%s: one object', async (route, shape, query) => {
    const answer = await world.get<{ data: unknown }>(`/v2/${route}?user=${trader()}&${query()}`)
    expect(Object.keys(answer)).toEqual(['data'])
    expect(listFaults(answer.data, shape, route)).toEqual([])
  })
})
