import { messageOf, OperatorError } from '../core/errors.js'
import { nearest } from '../lib/edit-distance.js'
import { formatTable } from '../lib/table.js'
import type { Setting } from './setting.js'
import { SETTINGS, type SettingName } from './settings.js'

export type Config = { [Name in SettingName]: ReturnType<(typeof SETTINGS)[Name]['fallback']> }
export type Origins = Record<SettingName, string>
export type Environment = Record<string, string | undefined>

/** Values of command-line flags by setting; only those on the command line. */
export type Flags = Partial<Record<SettingName, string>>

export type LoadedConfig = { config: Config; origins: Origins; warnings: string[] }

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[]

/** Reads flags before environment before default. Throws one error that lists every bad value. */
export function loadConfig(env: Environment, flags: Flags = {}): LoadedConfig {
  const config: Partial<Record<SettingName, unknown>> = {}
  const origins: Partial<Origins> = {}
  const problems: string[] = []

  for (const name of SETTING_NAMES) {
    const setting: Setting<unknown> = SETTINGS[name]
    const source = findSource(setting, env[setting.env], flags[name])
    origins[name] = source?.origin ?? 'default'
    try {
      config[name] = source === undefined ? setting.fallback() : setting.parse(source.text)
    } catch (error) {
      const shown = setting.mask === undefined ? `=${source?.text}` : ''
      problems.push(`${source?.origin}${shown}: ${messageOf(error)}`)
    }
  }

  if (problems.length > 0) {
    const list = problems.map((problem) => `  - ${problem}`).join('\n')
    throw new OperatorError(
      `The configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:\n${list}\n` +
        'Run `auspex up --help` for what each setting takes.',
      2,
    )
  }
  return { config: config as Config, origins: origins as Origins, warnings: findUnknown(env) }
}

/** What `auspex config` prints: every value, secrets masked, with where it came from. */
export function describeConfig({ config, origins }: LoadedConfig): string {
  const rows = SETTING_NAMES.map((name) => {
    const setting: Setting<unknown> = SETTINGS[name]
    return [setting.env, showValue(setting, config[name]), origins[name]]
  })
  return formatTable(rows)
}

function findSource(setting: Setting<unknown>, fromEnv: string | undefined, fromFlag?: string) {
  if (fromFlag !== undefined) return { text: fromFlag, origin: `--${setting.flag}` }
  if (fromEnv !== undefined && fromEnv !== '') return { text: fromEnv, origin: setting.env }
  return undefined
}

function showValue(setting: Setting<unknown>, value: unknown): string {
  const text = Array.isArray(value) ? value.join(',') : String(value ?? '')
  if (text === '') return '(not set)'
  return setting.mask === undefined ? text : setting.mask(text)
}

/** What commands that are clients of a service read, and programs of its users. */
const OF_CLIENTS = ['AUSPEX_KEY', 'AUSPEX_URL']

/** Unknown AUSPEX_ variables are most likely misspelled: the operator is warned. */
function findUnknown(env: Environment): string[] {
  const known = SETTING_NAMES.map((name) => SETTINGS[name].env)
  return Object.keys(env)
    .filter((name) => name.startsWith('AUSPEX_') && ![...known, ...OF_CLIENTS].includes(name))
    .map((name) => {
      const meant = nearest(name, known)
      const hint = meant === undefined ? '' : ` Did you mean ${meant}?`
      return `${name} is not a setting and has no effect.${hint}`
    })
}
