import { Value } from 'typebox/value'
import { expect, test } from 'vitest'
import { oneOfEach } from '../../sim/contracts/test-acts.js'
import { MESSAGES } from './registry.js'
import { findMissing, REQUIRED_DATA } from './test-required-fields.js'
import { OTHER_TYPES, publishActs } from './test-universe.js'

const { events, errors } = publishActs(
  oneOfEach().map(({ act }) => act),
  Date.UTC(2026, 10, 15),
)

test('nothing goes wrong', () => {
  expect(errors).toEqual([])
})

test('every message of the table of required fields exists', () => {
  expect([...MESSAGES.keys()]).toEqual(expect.arrayContaining(Object.keys(REQUIRED_DATA)))
})

test('whatever a wallet does gives messages with all that clients require, in our own shape too', () => {
  expect(events.flatMap(({ type, text }) => findMissing(type, text))).toEqual([])
  const mismatches = events.flatMap(({ type, text }) =>
    Value.Errors(MESSAGES.get(type)?.schema ?? {}, JSON.parse(text)).map(
      ({ instancePath, message }) => `${type}${instancePath} ${message}`,
    ),
  )
  expect(mismatches).toEqual([])
})

test('every message of the chain occurs', () => {
  const types = new Set(events.map(({ type }) => type))
  const others = [...MESSAGES.keys()].filter((type) => !types.has(type))
  expect(others.sort()).toEqual(['reorg', ...OTHER_TYPES].sort())
})

const valuesOf = (type: string, field: string) => [
  ...new Set(events.filter((event) => event.type === type).map(({ data }) => data[field])),
]

test.each([
  ['oracle', 'oracle_type', 'initialization proposal dispute settled resolution reset'],
  ['deposit', 'direction', 'deposit withdrawal'],
  ['position_change', 'transfer_type', 'single batch'],
  ['combo_lifecycle', 'action', 'Prepare Redeem Transfer'],
  ['combo_approval', 'approval_type', 'position_manager_approval_for_all collateral_allowance'],
  ['settlement', 'exchange_version', 'v2'],
  [
    'redemption',
    'source',
    'AutoRedeemer.BinaryRedemption AutoRedeemer.NegRiskRedemption AutoRedeemer.Redemption',
  ],
])('%s comes with every %s', (type, field, values) => {
  expect(valuesOf(type, field)).toEqual(expect.arrayContaining(values.split(' ')))
})
