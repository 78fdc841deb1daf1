import type { Pool } from '../../src/store/connection.js'
import { WHALE } from './size.js'

/** What requests ask for. Lists of one kind are alike in both histories, however long they are. */
export type Samples = {
  whale: string
  /** With some dozens of fills. */
  wallets: string[]
  /** With pages of fills. */
  traders: string[]
  /** With a few hundred fills. */
  tokens: string[]
  builders: string[]
}

const COUNT = 60

export async function selectSamples(sql: Pool): Promise<Samples> {
  const walletsWith = (min: number, max: number) => sql<{ name: string }[]>`
    select '0x' || encode(address, 'hex') as name
      from wallet_totals t
      join wallets w on w.id = t.wallet
     where fills between ${min} and ${max} and t.wallet <> ${WHALE}
     order by t.wallet::bigint * 7919 % 10007
     limit ${COUNT}`
  const [whale] = await sql<{ name: string }[]>`
    select '0x' || encode(address, 'hex') as name from wallets where id = ${WHALE}`
  const tokens = await sql<{ token: Buffer }[]>`
    select k.token
      from token_totals t
      join tokens k on k.id = t.token
     where trades between 50 and 120 and get_byte(k.token, 0) <> 3
     order by t.token::bigint * 7919 % 10007
     limit ${COUNT}`
  const builders = await sql<{ name: string }[]>`
    select '0x' || encode(code, 'hex') as name from builders order by id`
  return {
    whale: whale?.name ?? '',
    wallets: namesOf(await walletsWith(20, 40)),
    traders: namesOf(await walletsWith(110, 400)),
    tokens: tokens.map(({ token }) => BigInt(`0x${token.toString('hex')}`).toString()),
    builders: namesOf(builders),
  }
}

const namesOf = (rows: readonly { name: string }[]): string[] => rows.map(({ name }) => name)
