import { type Command, InvalidArgumentError } from 'commander'
import { NAME_LENGTH_MAX, NAME_PATTERN } from '../accounts/accounts.js'
import type { Plans } from '../accounts/plans.js'
import { readPlans } from '../accounts/plans-file.js'
import type { Config } from '../config/config.js'
import { systemClock } from '../core/clock.js'
import { ApiError, OperatorError } from '../core/errors.js'
import { formatTable } from '../lib/table.js'
import type { Pool } from '../store/connection.js'
import type { WithDatabase } from '../store/with-database.js'

export const LIST_MAX = 10_000

export type AdminTools = { sql: Pool; config: Config; plans: Plans; nowMs: number }

/** Runs a command with the database. What the same request to the API would refuse ends it with that text. */
export const runAdmin = (
  withDatabase: WithDatabase,
  command: Command,
  work: (tools: AdminTools) => Promise<void>,
  options: Parameters<WithDatabase>[2] = {},
): Promise<void> =>
  withDatabase(
    command,
    async (sql, { config }) => {
      const plans = readPlans(config.plansFile)
      await work({ sql, config, plans, nowMs: systemClock.now() }).catch((error) => {
        throw error instanceof ApiError ? new OperatorError(error.message) : error
      })
    },
    options,
  )

/** Prints a table, and says so when there is more than it shows. */
export function printRows(header: string[], rows: string[][]): void {
  console.log(formatTable([header, ...rows]))
  if (rows.length === LIST_MAX) console.error(`Only the first ${LIST_MAX} are shown.`)
}

export const showTime = (time: Date | null): string => time?.toISOString() ?? '–'

const NAME = new RegExp(NAME_PATTERN, 'u')

export function readName(text: string): string {
  const name = text.trim()
  if (name !== '' && name.length <= NAME_LENGTH_MAX && NAME.test(name)) return name
  throw new InvalidArgumentError(
    `It must have 1 to ${NAME_LENGTH_MAX} characters and no control or bidirectional characters.`,
  )
}

export const readAccount = (text: string): number => readId(text, 'acc')
export const readKey = (text: string): number => readId(text, 'key')
export const readOperatorKey = (text: string): number => readId(text, 'op')

function readId(text: string, prefix: string): number {
  const digits = new RegExp(`^(?:${prefix}_)?(\\d{1,9})$`).exec(text)?.[1]
  if (digits !== undefined) return Number(digits)
  throw new InvalidArgumentError(`It must look like ${prefix}_7.`)
}

const UNIT_MS = { h: 3_600_000, d: 86_400_000 }

/** `30d` and `12h` from now, or a time in ISO 8601. */
export function readExpiry(text: string): number {
  const [, count, unit] = /^(\d{1,5})([hd])$/.exec(text) ?? []
  if (unit !== undefined) return systemClock.now() + Number(count) * UNIT_MS[unit as 'h' | 'd']
  const ms = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN
  if (ms > systemClock.now() && ms < Date.UTC(10_000, 0)) return ms
  throw new InvalidArgumentError(
    'It must be a time from now such as 30d or 12h, or one to come such as 2027-01-31T00:00:00Z.',
  )
}
