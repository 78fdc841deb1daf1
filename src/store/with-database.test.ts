import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import { createTestDatabase } from '../../test/database.js'
import { makeOpenFolder } from '../../test/open-folder.js'
import { addAccountCommands } from '../admin/account-commands.js'
import { addKeyCommands } from '../admin/key-commands.js'
import { addLedgerCommands } from '../audit/commands.js'
import { addChainCommands } from '../chain/commands.js'
import { withDatabase } from './with-database.js'

let folder: string
beforeEach(() => {
  folder = makeOpenFolder('commands')
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
  vi.unstubAllEnvs()
})

/** Runs a command of the service in this process. */
async function run(line: string): Promise<void> {
  const program = new Command('auspex')
  addAccountCommands(program, withDatabase)
  addKeyCommands(program, withDatabase)
  addChainCommands(program, withDatabase)
  addLedgerCommands(program, withDatabase)
  await program.parseAsync(line.split(' '), { from: 'user' })
}

/** Every command that uses a database. */
const COMMANDS = [
  'accounts create --name desk',
  'accounts list',
  'accounts set-plan acc_1 growth',
  'accounts suspend acc_1',
  'accounts resume acc_1',
  'accounts delete acc_1 --yes',
  'accounts usage',
  'keys create --account acc_1',
  'keys list',
  'keys revoke key_1',
  'operator-keys create --name ops',
  'operator-keys list',
  'operator-keys revoke op_1',
  'audit',
  'audit --all',
  'backfill --from 86000000',
]

describe.each(COMMANDS)('auspex %s', (line) => {
  test('makes no database in a folder that has none, nor the folder', async () => {
    const dataDir = join(folder, 'a', 'b')
    vi.stubEnv('AUSPEX_DATA', dataDir)
    await expect(run(line)).rejects.toThrow(
      `There is no database in ${dataDir}.\nName the folder of a service with --data <folder>`,
    )
    expect(existsSync(join(folder, 'a'))).toBe(false)
    mkdirSync(dataDir, { recursive: true })
    await expect(run(line)).rejects.toThrow(`There is no database in ${dataDir}.`)
    expect(readdirSync(dataDir)).toEqual([])
  })
})

test('a command makes no tables in an empty database, and names it without its password', async () => {
  const { target, sql, drop } = await createTestDatabase({ isEmpty: true })
  const name = 'database' in target ? target.database : ''
  const url = `postgres://auspex:hunter2@localhost/${name}?host=${inject('socketDir')}`
  vi.stubEnv('DATABASE_URL', url)
  const error = await run('keys list').catch((reason) => reason)
  expect(String(error)).toMatch(/\/test_\w+\?host=.* is empty: no service has run on it yet/)
  expect(String(error)).not.toMatch('hunter2')
  expect(await sql`select 1 from pg_tables where schemaname = 'public'`).toHaveLength(0)
  await drop()
})
