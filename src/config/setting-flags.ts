import { type Command, InvalidArgumentError, Option } from 'commander'
import { parseAddress } from '../core/ids.js'
import { type Flags, type LoadedConfig, loadConfig, SETTING_NAMES } from './config.js'
import type { Setting } from './setting.js'
import { SETTINGS, type SettingName } from './settings.js'

/** What a command that only needs the database reads. */
export const DATABASE_SETTINGS: SettingName[] = ['dataDir', 'databaseUrl']

/** Gives the command a flag for each of the settings that has one. */
export function addSettingFlags(
  command: Command,
  names: SettingName[] = SETTING_NAMES,
  { readsEnvironment = true } = {},
): void {
  for (const name of names) {
    const option = toOption(SETTINGS[name], readsEnvironment)
    if (option !== undefined) command.addOption(option)
  }
}

/** The configuration from the environment and the command's flags; warnings go to stderr. */
export function readConfig(command: Command, environment = process.env): LoadedConfig {
  const given: Record<string, unknown> = command.opts()
  const flags: Flags = {}
  for (const name of SETTING_NAMES) {
    const value = given[toOption(SETTINGS[name])?.attributeName() ?? '']
    if (typeof value === 'string') flags[name] = value
  }
  const loaded = loadConfig(environment, flags)
  for (const warning of loaded.warnings) console.error(`auspex: ${warning}`)
  return loaded
}

/** For `--help`: the settings that no flag sets. */
export function describeEnvironment(): string {
  const lines = SETTING_NAMES.map((name): Setting<unknown> => SETTINGS[name])
    .filter(({ flag }) => flag === undefined)
    .map(({ env, help }) => `  ${env.padEnd(28)}  ${help}`)
  return `\nFrom the environment alone:\n${lines.join('\n')}`
}

function toOption(setting: Setting<unknown>, readsEnvironment = true): Option | undefined {
  const { flag, placeholder, help, env } = setting
  if (flag === undefined) return undefined
  const variable = readsEnvironment ? ` [${env}]` : ''
  return new Option(`--${flag} <${placeholder}>`, `${help}${variable}`)
}

/** For an option that takes several addresses: commander hands them over one by one. */
export function parseAddressOption(text: string, given: string[] = []): string[] {
  const address = parseAddress(text)
  if (address === undefined) throw new InvalidArgumentError('It must look like 0x and 40 hex digits.')
  return [...given, address]
}
