import { readInteger, setting } from './setting.js'

/** How much of the prices is kept. */
export const ORACLE_SETTINGS = {
  tickRetentionDays: setting({
    env: 'AUSPEX_TICK_RETENTION_DAYS',
    placeholder: 'number',
    help: 'days after which months of ticks may be dropped; 0 keeps everything',
    fallback: () => 0,
    read: readInteger(0, 36_500),
  }),
}
