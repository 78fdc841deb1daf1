import { readInteger, setting } from './setting.js'

/** Which part of the chain is kept. */
export const CHAIN_SETTINGS = {
  fromBlock: setting<number | undefined>({
    env: 'AUSPEX_FROM_BLOCK',
    flag: 'from-block',
    placeholder: 'block',
    help: 'where a new database begins to read the chain; default: a day before its head',
    fallback: () => undefined,
    read: readInteger(0, 2 ** 31 - 1),
  }),
  retentionDays: setting({
    env: 'AUSPEX_RETENTION_DAYS',
    placeholder: 'number',
    help: 'days after which fills and other bulky facts may be dropped; 0 keeps everything',
    fallback: () => 0,
    read: readInteger(0, 36_500),
  }),
}
