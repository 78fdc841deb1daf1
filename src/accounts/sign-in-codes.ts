import { ApiError, badRequest } from '../core/errors.js'
import type { Pool, Sql } from '../store/connection.js'
import { transact } from '../store/transaction.js'
import { openAccountWithKey } from './accounts.js'
import { hasAccounts } from './queries.js'
import { createSignInCode, hashSignInCode } from './secret.js'
import { deleteSignInCode, insertSignInCode, lockSignInCode } from './session-queries.js'
import { type NewSession, openSessionIn } from './web-sessions.js'

export const CODE_MINUTES = 15

/** Of the account that the code of a first start makes: the machine is the operator's own. */
const FIRST_PLAN = 'enterprise'

/** A code that signs in as a key, once and within `CODE_MINUTES`. `null`: it makes an account with its first key. */
export async function createCode(sql: Sql, keyId: number | null): Promise<string> {
  const code = createSignInCode()
  const codeHash = hashSignInCode(code)
  if (codeHash === undefined) throw new Error('a new code is no code')
  await insertSignInCode(sql, { codeHash, keyId, goodForMs: CODE_MINUTES * 60_000 })
  return code
}

/** A code that makes the first account; `undefined`: there is one already. */
export const inviteOperator = async (sql: Sql): Promise<string | undefined> =>
  (await hasAccounts(sql)) ? undefined : await createCode(sql, null)

/** Where a browser signs in with a code. `baseUrl`: of the service. */
export const signInUrl = (baseUrl: string, code: string): string =>
  `${baseUrl.replace(/\/+$/, '')}/sign-in?code=${code}`

type Redemption = { code: string; accountName: string | undefined; nowMs: number }

/** `secret`: of the key that was made with the account, this once. */
type Redeemed = { keyId: number; session: NewSession; secret?: string }

/** Begins a session with a code, which is used up then. A refusal leaves it as it was. */
export async function redeemCode(pool: Pool, { code, accountName, nowMs }: Redemption): Promise<Redeemed> {
  const codeHash = hashSignInCode(code)
  if (codeHash === undefined) throw wrongCode()
  return await transact(pool, async (tx) => {
    const found = await lockSignInCode(tx, codeHash)
    if (found === undefined) throw wrongCode()
    const { keyId } = found
    const signed = keyId === null ? await makeFirst(tx, accountName, nowMs) : { keyId }
    await deleteSignInCode(tx, codeHash)
    return { ...signed, session: await openSessionIn(tx, signed.keyId, nowMs) }
  })
}

async function makeFirst(tx: Sql, name: string | undefined, nowMs: number) {
  if (name === undefined) {
    throw badRequest("This code makes a new account: give its name in 'account_name'.")
  }
  const { id: keyId, secret } = await openAccountWithKey(tx, { name, plan: FIRST_PLAN, nowMs })
  return { keyId, secret }
}

const wrongCode = () =>
  new ApiError(
    401,
    `This code is unknown, used up or older than ${CODE_MINUTES} minutes. ` +
      'Run `auspex dashboard` for another, or sign in with an API key.',
  )
