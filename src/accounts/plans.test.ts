import { describe, expect, test } from 'vitest'
import { DEFAULT_PLANS, PLAN_IDS } from './plans.js'

const rows = (name: keyof (typeof DEFAULT_PLANS)['free']) =>
  ['free', 'starter', 'growth', 'enterprise'].map((id) => DEFAULT_PLANS[id as 'free'][name])

// The numbers of the specification's plan tables, in its order of columns.
describe('DEFAULT_PLANS', () => {
  test.each([
    ['v3PerMinute', [0, 1_000, 2_000, 4_000]],
    ['v3HeavyPerMinute', [0, 1_000, 1_500, 1_500]],
    ['eventSocketsMax', [1, 10, 50, null]],
    ['orderbookSocketsMax', [1, 10, 50, null]],
    ['replaysMax', [1, 2, 5, 10]],
    ['replayHoursMax', [1, 24, 168, null]],
    ['filterItemsMax', [10_000, 10_000, 10_000, null]],
    ['socketSecondsPerDay', [3_600, null, null, null]],
    ['keysMax', [1, 3, 10, 25]],
    ['snapshotCountMax', [20, 100, 200, 500]],
    ['sinceLookbackMs', [30_000, 120_000, 300_000, 300_000]],
    ['restPerMinute', [60, 1_000, 2_000, 4_000]],
    ['webhooksMax', [0, 10, 50, 500]],
    ['webhookDeliveriesPerDay', [0, 50_000, 500_000, null]],
    ['socialPerMonth', [0, 500, 1_000, 5_000]],
  ] as const)('%s is %j', (name, expected) => {
    expect(rows(name)).toEqual(expected)
  })

  test('pro is growth with more social calls', () => {
    expect(DEFAULT_PLANS.pro).toMatchObject({ webhooksMax: 50, webhookDeliveriesPerDay: 500_000 })
    expect(DEFAULT_PLANS.pro.socialPerMonth).toBe(1_500)
  })

  test('each plan ranks above the one before', () => {
    expect(PLAN_IDS.map((id) => DEFAULT_PLANS[id].rank)).toEqual([0, 1, 2, 3, 4])
  })
})
