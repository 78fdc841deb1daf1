import { describe, expect, test } from 'vitest'
import type { OracleFact } from '../chain/facts/oracle-event.js'
import { ALICE, at, BOB, logAt, MARKET, MARKET_FIELDS, makeEvent, makeEvents } from './test-facts.js'

describe('oracle', () => {
  const ADAPTER = '0x65070be91477460d8a7aeeb94ef92fe056c2f2a7'
  const ORACLE = '0xee3afe347d5c74317041e2618c49534daf887c24'
  const QUESTION = '0xb7576115f85ca1f02c40bd07ae7373640423e87fcffd4c2a8986af23f2a01438'
  const condition = '0xda4bfca4a2f26cce689ac3e2b89cc60a17fb0b994ee79f61ec8beb65f6886236'
  const info = { ...MARKET, conditionId: condition }
  const fields = { ...MARKET_FIELDS, condition_id: condition }
  const markets = {
    byToken: () => undefined,
    byCondition: (asked: string) => (asked === condition ? info : undefined),
  }
  const makeStep = (kind: OracleFact['kind'], changes: Partial<OracleFact> = {}): OracleFact => ({
    ...at(4),
    kind,
    contract: ADAPTER,
    question: QUESTION,
    requestTimeSec: undefined,
    actor: undefined,
    proposer: undefined,
    price: undefined,
    payouts: undefined,
    expirationSec: undefined,
    ...changes,
  })
  const asked = { contract: ORACLE, requester: ADAPTER, requestTimeSec: 1_790_000_000 }
  const oracleId = `oo_v2:${ADAPTER}:1790000000`

  test.each<[string, OracleFact, object]>([
    ['initialization', makeStep('initialized', { bond: 500_000_000n }), { bond_amount: 500 }],
    [
      'proposal',
      makeStep('proposed', {
        ...asked,
        actor: BOB,
        price: 10n ** 18n,
        expirationSec: 1_790_007_200,
      }),
      {
        question_id: oracleId,
        proposer: BOB,
        proposed_price: 1,
        expiration_timestamp: 1_790_007_200_000,
      },
    ],
    [
      'dispute',
      makeStep('disputed', { ...asked, actor: ALICE, proposer: BOB, price: 0n }),
      { question_id: oracleId, disputer: ALICE, proposer: BOB, proposed_price: 0 },
    ],
    [
      'settled',
      makeStep('settled', { ...asked, proposer: BOB, price: 5n * 10n ** 17n }),
      { question_id: oracleId, resolved_price: 0.5, proposer: BOB },
    ],
    [
      'resolution',
      makeStep('resolved', { price: 0n, payouts: [0n, 1n] }),
      {
        resolved_price: 0,
        payouts: [0, 1],
        payouts_ppm: [0, 1_000_000],
        resolved_outcome: 'No',
      },
    ],
    [
      'manual_resolution',
      makeStep('manually_resolved', { payouts: [1n, 1n] }),
      {
        resolved_price: 0.5,
        payouts: [1, 1],
        payouts_ppm: [500_000, 500_000],
        resolved_outcome: 'Split',
      },
    ],
    ['reset', makeStep('reset'), {}],
    ['flag', makeStep('flagged'), {}],
    ['unflag', makeStep('unflagged'), {}],
    ['pause', makeStep('paused'), {}],
    ['unpause', makeStep('unpaused'), {}],
  ])('%s', (type, step, extra) => {
    const { data } = makeEvent('oracle', { oracle: [step] }, markets)
    expect(data).toEqual({
      event_type: 'oracle',
      ...logAt(4),
      oracle_type: type,
      question_id: QUESTION,
      adapter_address: ADAPTER,
      ...fields,
      ...extra,
    })
  })

  test('is found by who proposed and who disputed', () => {
    const step = makeStep('disputed', { ...asked, actor: ALICE, proposer: BOB, price: 0n })
    const { event } = makeEvent('oracle', { oracle: [step] }, markets)
    expect(event?.keys).toMatchObject({ wallets: [BOB, ALICE], conditionIds: [condition] })
    const started = makeStep('initialized', { actor: ALICE, bond: 500_000_000n })
    const { event: first } = makeEvent('oracle', { oracle: [started] }, markets)
    expect(first?.keys).toMatchObject({ wallets: [], sizeUsd: 500 })
  })

  test('a resolution without a step of the oracle names what its log names', () => {
    const fact = { ...at(5), condition, payouts: [1n, 2n], reporter: ADAPTER, question: QUESTION }
    const { data } = makeEvent('oracle', { resolutions: [fact] }, markets)
    expect(data).toMatchObject({
      question_id: QUESTION,
      adapter_address: ADAPTER,
      payouts_ppm: [333_333, 666_667],
      resolved_outcome: 'Split',
    })
  })

  test('a price that says it cannot be known is left out', () => {
    const step = makeStep('settled', { ...asked, price: -(2n ** 255n) })
    expect(makeEvent('oracle', { oracle: [step] }, markets).data).not.toHaveProperty('resolved_price')
  })

  test('the oracle without the adapter that asked: what is known, and no market', () => {
    const step = makeStep('proposed', { ...asked, requester: undefined })
    const { data } = makeEvent('oracle', { oracle: [step] }, markets)
    expect(data.question_id).toBe(QUESTION)
    expect(data.adapter_address).toBe('')
    expect(data).not.toHaveProperty('market_slug')
  })

  test('a resolution on the chain names the question that it answers', () => {
    const events = makeEvents(
      {
        oracle: [makeStep('resolved', { payouts: [1n, 0n] }), makeStep('reported', at(6))],
        resolutions: [{ ...at(5), condition, payouts: [1n, 0n] }],
      },
      markets,
    )
    expect(events.map(({ data }) => data.oracle_type)).toEqual([
      'resolution',
      'condition_resolution',
      undefined,
    ])
    expect(JSON.parse(JSON.stringify(events[1]?.data))).toEqual({
      event_type: 'oracle',
      ...logAt(5),
      oracle_type: 'condition_resolution',
      question_id: QUESTION,
      adapter_address: ADAPTER,
      resolved_price: 1,
      payouts: [1, 0],
      payouts_ppm: [1_000_000, 0],
      resolved_outcome: 'Yes',
      ...fields,
    })
  })

  test('a neg-risk result is published once, as resolution of its condition, with the question of the operator', () => {
    const OPERATOR = '0x71523d0f655b41e805cec45b17163f528b59b820'
    const question = '0xcc4727a6394620b9c8ae82db3db50a34d5ca9828675547bcc4cddf5e86b63007'
    const events = makeEvents({
      oracle: [makeStep('resolved', { contract: OPERATOR, question, payouts: [1n, 0n] })],
      resolutions: [
        {
          ...at(5),
          condition: '0x332a94e571f787be90c3db5bd66e00c471a556371786b4622912c90edb46c044',
          payouts: [1n, 0n],
        },
      ],
    })
    expect(events.map(({ data }) => data.oracle_type)).toEqual(['condition_resolution', undefined])
    expect(events[0]?.data).toMatchObject({ question_id: question, adapter_address: OPERATOR })
  })

  test('questions of the neg-risk adapter have no condition that could be looked up', () => {
    const contract = '0x2f5e3684cb1f318ec51b00edba38d79ac2c0aa9d'
    const asked: string[] = []
    const lookup = { ...markets, byCondition: (id: string) => void asked.push(id) }
    const { data } = makeEvent('oracle', { oracle: [makeStep('initialized', { contract })] }, lookup)
    expect(data).toMatchObject({ question_id: QUESTION, adapter_address: contract })
    expect(asked).toEqual([])
  })
})
