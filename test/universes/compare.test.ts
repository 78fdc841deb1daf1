import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refreshComboAggregates, refreshComboRanks } from '../../src/combos/aggregates.js'
import type { Sql } from '../../src/store/connection.js'
import { type ApiWorld, openApiWorld } from '../api-world.js'
import { compareAnswers, compareParts } from './compare/compare-answers.js'
import { type CompareOptions, Comparison } from './compare/comparison.js'
import { NOT_COMPARED } from './compare/not-compared.js'
import { readModel } from './model/read-model.js'
import { type SampledIds, SPOILINGS } from './test-spoilings.js'

let world: ApiWorld
let options: CompareOptions
beforeAll(async () => {
  world = await openApiWorld({
    historyMs: 10 * 60_000,
    intensity: 0.6,
    comboShare: 0.4,
    isLively: true,
    isWhole: true,
  })
  await refreshComboAggregates(world.ctx.sql, new AbortController().signal)
  await refreshComboRanks(world.ctx.sql)
  options = {
    url: await world.app.listen({ port: 0, host: '127.0.0.1' }),
    key: world.key,
    model: readModel(world.universe),
    sample: { count: 2, seed: 1 },
    untilMs: 0,
  }
})
afterAll(() => world.close())

describe('an undisturbed service', () => {
  test('the universe has every kind of act that bears cost', () => {
    const kinds = new Set(options.model.transactions.map(({ act }) => act.kind))
    expect([...kinds]).toEqual(
      expect.arrayContaining([
        ...['match', 'split', 'merge', 'redeem', 'convert', 'transfer', 'redeemCombo', 'migrate'],
        ...['deposit', 'withdraw', 'resolve', 'resolveLeg'],
      ]),
    )
  })

  test('answers everything as the model says, and every path is asked for or named', async () => {
    const comparison = new Comparison(options)
    await compareParts(comparison)
    expect(comparison.differences).toEqual([])
    const { paths } = JSON.parse((await world.get('/openapi.json')).body) as { paths: Record<string, object> }
    const listed = Object.keys(paths).filter(
      (path) => path.startsWith('/v3/') && 'get' in (paths[path] ?? {}),
    )
    const asked = [...comparison.paths]
    const isAsked = (path: string) => {
      const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
      return asked.some((each) => pattern.test(each))
    }
    const missing = listed.filter((path) => !isAsked(path))
    expect(missing.sort()).toEqual(Object.keys(NOT_COMPARED).sort())
  })
})

test('a board that stays behind is reported when there is a bound', async () => {
  const { sql } = world.ctx
  const behind = { ...options, ageSecMax: 0 }
  expect(await compareAnswers(behind, ['boards'])).toEqual([])
  await sql`update board_state set block_time = block_time - 60`
  const [difference] = await compareAnswers({ ...behind, differencesMax: 1 }, ['boards'])
  await sql`update board_state set block_time = block_time + 60`
  expect(difference).toMatch(
    /^\/v3\/leaderboard\?sort=realized: as_of \d+ is long before the last block, \d+$/,
  )
})

describe('a mistake in the database is reported', () => {
  test.each(SPOILINGS)('$title', async ({ part, table, spoil }) => {
    const { sql } = world.ctx
    const sampled = await selectSampledIds(sql)
    await sql`create table spoiled as select * from ${sql(table)}`
    try {
      expect((await spoil(sql, sampled)).count).toBe(1)
      expect(await compareAnswers({ ...options, differencesMax: 1 }, [part])).toHaveLength(1)
    } finally {
      await sql`delete from ${sql(table)}`
      await sql`insert into ${sql(table)} select * from spoiled`
      await sql`drop table spoiled`
    }
  })
})

async function selectSampledIds(sql: Sql): Promise<SampledIds> {
  const { wallets, tokens, markets } = new Comparison(options).sampled
  const [row] = await sql<SampledIds[]>`
    select array(select id from unnest(${[...wallets]}::text[]) with ordinality a (address, place)
                   join wallets w on w.address = decode(substr(a.address, 3), 'hex') order by place) as wallets,
           array(select id from tokens where '0x' || encode(token, 'hex') = any(${tokens.map(hexOf)}::text[]))
             as tokens,
           array(select id from conditions
                  where '0x' || encode(condition, 'hex')
                        = any(${markets.map(({ conditionId }) => conditionId)}::text[])) as conditions`
  return row ?? expect.fail()
}

const hexOf = (decimal: string): string => `0x${BigInt(decimal).toString(16).padStart(64, '0')}`
