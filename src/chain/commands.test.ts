import { Command } from 'commander'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.js'
import { loadConfig } from '../config/config.js'
import { addChainCommands } from './commands.js'

let database: TestDatabase
const printed: string[] = []
beforeAll(async () => {
  database = await createTestDatabase()
  await database.sql`
    update chain_state set ledger_from = 100, block = 200, block_hash = '\\x01', block_time = 1`
  await database.sql`insert into coverage values (100, 200)`
})
afterAll(() => database.drop())
beforeEach(() => {
  printed.length = 0
  vi.spyOn(console, 'log').mockImplementation((text) => printed.push(text))
})
afterEach(() => vi.restoreAllMocks())

function run(...args: string[]) {
  const { config } = loadConfig({})
  const program = new Command().exitOverride()
  addChainCommands(program, (_command, work) => work(database.sql, { config, target: database.target }))
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
  return program.parseAsync(['backfill', ...args], { from: 'user' })
}

describe('auspex backfill', () => {
  test('says that the blocks are here already', async () => {
    await run('--from', '150')
    expect(printed).toEqual([
      'Nothing was missing: blocks 150 to 150 are here already.\n' +
        'The ledger begins at block 100, as before.\n' +
        'Stored facts are not replaced. If an audit found differences: auspex backfill --again --from 150 --to 150',
    ])
  })

  test.each([
    ['there is no node', ['--from', '50'], 'No node is configured'],
    ['a block is not booked yet', ['--from', '50', '--to', '201'], 'Block 201 is not booked yet'],
    ['the range runs backwards', ['--from', '50', '--to', '40'], '--to 40 is below --from 50'],
    ['a block is no number', ['--from', 'x'], 'It must be a number from 0 to 2147483647'],
    ['nothing is requested', [], 'Name the first block that is to be read with --from'],
    ['there is no node to read again from', ['--again'], 'No node is configured'],
    ['--again of blocks that are not booked', ['--again', '--to', '201'], 'Block 201 is not booked'],
    ['--again of blocks that were never read', ['--again', '--from', '99'], 'use --again with --from 100'],
  ])('fails: %s', async (_why, args, message) => {
    await expect(run(...args)).rejects.toThrow(message)
    expect(printed).toEqual([])
  })
})
