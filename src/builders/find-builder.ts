import { ApiError, notFound } from '../core/errors.js'
import { errorReply } from '../lib/error-reply.js'
import { hexToBytes } from '../lib/hex.js'
import type { Sql } from '../store/connection.js'
import { hex } from '../store/sql-words.js'

/** A builder that a caller named. `id` null: no fill names it. */
export type FoundBuilder = {
  id: number | null
  code: string
  name: string | null
  logo: string | null
  verified: boolean | null
}

/** What `findBuilder` throws, for the document. */
export const BUILDER_ERRORS = {
  404: errorReply('There is no such builder'),
  409: errorReply('Several builders have this public name; `candidates` lists them'),
}

const CODE = /^(?:0x)?([0-9a-f]{64})$/i
const CANDIDATES_MAX = 20

/**
 * By code, with or without `0x`, or by public name in any letter case. Throws a 404 for one that
 * neither a fill nor a profile names, and a 409 for a name that several builders share. Indexes:
 * builders_code_key, builder_profiles_pkey, builder_profiles_name.
 */
export async function findBuilder(sql: Sql, text: string): Promise<FoundBuilder> {
  const digits = CODE.exec(text)?.[1]
  const isWanted =
    digits === undefined
      ? sql`select code from builder_profiles where lower(name) = lower(${text})`
      : sql`select ${hexToBytes(`0x${digits}`)}::bytea as code`
  const found = await sql<FoundBuilder[]>`
    select b.id, ${hex(sql, 'wanted.code')} as code, p.name, p.logo, p.verified
      from (${isWanted}) wanted
      left join builders b on b.code = wanted.code
      left join builder_profiles p on p.code = wanted.code
     where b.id is not null or p.code is not null
     order by wanted.code
     limit ${CANDIDATES_MAX}`
  const [builder, second] = found
  if (builder === undefined) throw notFound()
  if (second === undefined) return builder
  throw new ApiError(409, `Several builders are named '${text}'. Ask by code.`, {
    candidates: found.map(({ code, name }) => ({ builder_code: code, builder_name: name })),
  })
}

export const presentProfile = ({ code, name, logo, verified }: FoundBuilder) => ({
  builder_code: code,
  builder_name: name,
  builder_logo: logo,
  builder_verified: verified,
})
