import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { OperatorError } from '../core/errors.js'
import { DEFAULT_PLANS } from './plans.js'
import { parsePlans, readPlans } from './plans-file.js'
import { presentPlan } from './present.js'

test('a file changes plans, adds some, and goes by account before the plan', () => {
  const plans = parsePlans({
    plans: {
      growth: { price_usd_per_month: 249.5, websocket: { event_connections: 80 } },
      team: { extends: 'starter', api_keys: 5, webhooks: { deliveries_per_day: null } },
      pro: { offered: false },
    },
    accounts: { acc_7: { rest_per_minute: 9_000, websocket: { snapshot_count: 400 } } },
  })
  expect(plans.ids()).toEqual(['free', 'starter', 'team', 'growth', 'pro', 'enterprise'])
  expect(plans.offered().map(({ id }) => id)).not.toContain('pro')
  expect(plans.find('growth')).toEqual({
    ...DEFAULT_PLANS.growth,
    priceUsdPerMonth: 249.5,
    eventSocketsMax: 80,
  })
  expect(plans.find('team')).toMatchObject({ id: 'team', rank: 1, keysMax: 5, webhooksMax: 10 })
  expect(plans.find('team')?.webhookDeliveriesPerDay).toBeNull()

  const agreed = plans.of(7, 'enterprise')
  expect(agreed).toMatchObject({ id: 'enterprise', restPerMinute: 9_000, snapshotCountMax: 400 })
  expect(plans.of(7, 'enterprise')).toBe(agreed)
  expect(plans.of(8, 'enterprise')).toBe(DEFAULT_PLANS.enterprise)
  expect(plans.of(7, 'gold')).toBeUndefined()
})

test('the file has the fields that /v1/plans shows', () => {
  for (const plan of Object.values(DEFAULT_PLANS)) {
    const { id, ...fields } = presentPlan(plan)
    expect(parsePlans({ plans: { [id]: fields } }).find(id)).toEqual(plan)
  }
})

test.each<[unknown, RegExp]>([
  [[], /the file must be a JSON object/],
  [{ plan: {} }, /^plan is not a field. Did you mean plans\?/],
  [{ plans: { growth: { rest_per_minute: '9' } } }, /plans\.growth\.rest_per_minute must be an int/],
  [{ plans: { growth: { rest_per_minute: -1 } } }, /rest_per_minute .* and is -1/],
  [{ plans: { growth: { api_keys: null } } }, /plans\.growth\.api_keys must be .* and is null/],
  [{ plans: { growth: { rest_per_minut: 1 } } }, /rest_per_minut is not a field. Did you mean rest_/],
  [{ plans: { growth: { websocket: 5 } } }, /plans\.growth\.websocket must be a JSON object/],
  [{ plans: { growth: { websocket: { sockets: 1 } } } }, /websocket\.sockets is not a field/],
  [{ plans: { growth: { trade_export: 'yes' } } }, /trade_export must be true or false/],
  [{ plans: { growth: { offered: 1 } } }, /plans\.growth\.offered must be true or false/],
  [{ plans: { growth: { extends: 'pro' } } }, /plans\.growth\.extends: .*leave it out/],
  [{ plans: { team: {} } }, /plans\.team\.extends must be one of free, .* and is missing/],
  [{ plans: { team: { extends: 'gold' } } }, /plans\.team\.extends .* and is "gold"/],
  [{ plans: { 'Big Team': { extends: 'free' } } }, /plans\.Big Team: a plan's name/],
  [{ plans: { growth: { constructor: 1 } } }, /constructor is not a field/],
  [{ accounts: { desk: {} } }, /accounts\.desk: an account looks like acc_7/],
  [{ accounts: { acc_1: { price: 1 } } }, /accounts\.acc_1\.price is not a field/],
])('%j is refused with the field that is wrong', (content, message) => {
  expect(() => parsePlans(content)).toThrow(message)
})

test('a file that is missing or broken is a fault for the operator, with its name', () => {
  const folder = mkdtempSync(join(tmpdir(), 'auspex-plans-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'plans.json')
  expect(() => readPlans(path)).toThrow(OperatorError)
  writeFileSync(path, '{"plans":')
  expect(() => readPlans(path)).toThrow(`AUSPEX_PLANS=${path}: the file is not valid JSON`)
  writeFileSync(path, '{"plans":{"free":{"api_keys":2}}}')
  expect(readPlans(path).free.keysMax).toBe(2)
})
