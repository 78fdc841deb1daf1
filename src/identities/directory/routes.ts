import { Type } from 'typebox'
import { V3 } from '../../accounts/access.js'
import { ApiError, notFound } from '../../core/errors.js'
import { type AnswerTools, defineAnswer } from '../../http/answer.js'
import { endpointRoutes } from '../../http/endpoint.js'
import { Address } from '../../http/parameters.js'
import { clampCount } from '../../lib/clamp-count.js'
import { errorReply } from '../../lib/error-reply.js'
import type { Sql } from '../../store/connection.js'
import { usernameOf } from '../../upstreams/gamma/parse.js'
import { chooseWallet, deriveWallets } from '../identity.js'
import { presentWallet } from '../present.js'
import type { IdentityResolver } from '../resolver.js'
import { type KnownAddress, selectKnownAddresses, selectNamedAddresses, selectUsernames } from './queries.js'
import {
  IdentityBatchBody,
  IdentityBatchReply,
  IdentityReply,
  IdentitySearchQuery,
  IdentitySearchReply,
  ProfileReply,
  UsernameQuery,
  UsernameReply,
} from './schemas.js'

type DirectoryDeps = { resolver: IdentityResolver }

const RESULTS_MAX = 50

const common = { tag: 'wallets', access: V3, dependsOnChain: false } as const

/** What the database alone knows of these addresses, by address. */
async function readKnown(sql: Sql, addresses: readonly string[]) {
  const known = await selectKnownAddresses(sql, addresses)
  const owners = [...new Set(known.flatMap(({ owner }) => owner ?? []))]
  const walletsOf = new Map(owners.map((owner) => [owner, deriveWallets(owner)]))
  const derived = [...walletsOf.values()].flatMap((wallets) => wallets.map(({ address }) => address))
  const named = await selectNamedAddresses(sql, derived)
  return new Map(known.map((row) => [row.address, presentKnown(row)]))

  /** A wallet that facts name is deployed: only then can it hold tokens. */
  function presentKnown({ address, username, owner, type, isKey }: KnownAddress) {
    const wallets = (walletsOf.get(owner ?? '') ?? []).map((wallet) => ({
      ...wallet,
      isDeployed: named.has(wallet.address),
    }))
    const isWallet = owner !== null
    return {
      username,
      eoa: owner ?? (isKey ? address : null),
      wallet_type: type,
      deployed: isWallet ? true : isKey ? false : null,
      current: isWallet ? chooseWallet(wallets, address)?.address === address : null,
    }
  }
}

const identityBatch = defineAnswer({
  ...common,
  path: '/v3/identities/batch',
  method: 'POST',
  operationId: 'getIdentities',
  summary: 'Who is behind up to 1,000 wallets',
  description:
    'Answered from what is stored here: logs of the factories that make wallets, and names that were looked up before. `GET /v3/identities/{address}` asks the chain and the platform.',
  // Deriving the wallets of a thousand keys takes longer than a page.
  access: { ...V3, cost: 'heavy', isRead: true },
  body: IdentityBatchBody,
  reply: IdentityBatchReply,
  answer: async ({ sql }, { wallets }) => {
    const addresses = [...new Set(wallets.map((address) => address.toLowerCase()))]
    const known = await readKnown(sql, addresses)
    return {
      requested: addresses.length,
      found: known.size,
      identities: Object.fromEntries(addresses.map((address) => [address, known.get(address) ?? null])),
    }
  },
})

const identitySearch = defineAnswer({
  ...common,
  path: '/v3/identities/search',
  operationId: 'searchIdentities',
  summary: 'Wallets by a part of their username',
  description:
    'Names that were looked up here before, and the profile of exactly that name, which the platform is asked for. Two letters find beginnings of names alone.',
  query: IdentitySearchQuery,
  reply: IdentitySearchReply,
  answer: async ({ sql, caller, deps: { resolver } }: AnswerTools<DirectoryDeps>, { q, limit }) => {
    const text = q.toLowerCase()
    // It stores the name that it finds. The names that are stored already are an answer without it.
    await resolver.byUsername(q, caller.accountId).catch(ignoreRefusal)
    const found = await selectUsernames(sql, text, clampCount(limit, RESULTS_MAX))
    const known = await readKnown(
      sql,
      found.map(({ wallet }) => wallet),
    )
    const results = found.flatMap(({ wallet, name }) => {
      const identity = known.get(wallet)
      return identity === undefined ? [] : [{ wallet, ...identity, exact: name.toLowerCase() === text }]
    })
    return { query: q, count: results.length, results }
  },
})

function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof ApiError)) throw error
  return undefined
}

const AddressPath = Type.Object({ address: Address })

const identity = defineAnswer({
  ...common,
  path: '/v3/identities/:address',
  operationId: 'getIdentity',
  summary: 'Who is behind an address',
  description:
    'The key, the wallets and the username of a wallet or of a key, as `/v1/resolve/{query}` finds them.',
  params: AddressPath,
  reply: IdentityReply,
  errors: { 404: errorReply('Nothing is known of it') },
  answer: async ({ caller, deps: { resolver } }: AnswerTools<DirectoryDeps>, { address }) => {
    const found = await resolver.byAddress(address, caller.accountId)
    if (found === undefined) throw notFound('Address not found.')
    const { owner, current, others, username } = found
    const otherWallets = others.map((wallet) => presentWallet(wallet, false))
    return {
      query: address,
      matched_by: address === owner && address !== current.address ? 'eoa' : 'wallet',
      wallet: current.address,
      identity: {
        username: username ?? null,
        eoa: owner ?? null,
        wallet_type: current.type,
        deployed: current.isDeployed,
        current: true as const,
        wallet_details: [presentWallet(current, true), ...otherWallets],
        other_wallets: otherWallets,
      },
    }
  },
})

const profile = defineAnswer({
  ...common,
  path: '/v3/polymarket/profiles/:eoa',
  operationId: 'getProfile',
  summary: 'The public profile of a key or a wallet',
  description: 'Asked of the platform at each call. A name that its owner hides is null.',
  params: Type.Object({ eoa: Address }),
  reply: ProfileReply,
  errors: { 404: errorReply('`profile_not_found`: the address has no profile') },
  answer: async ({ caller, deps: { resolver } }: AnswerTools<DirectoryDeps>, { eoa }) => {
    const found = await resolver.readProfile(eoa, caller.accountId)
    if (found === undefined) throw notFound('profile_not_found', { address: eoa })
    return {
      address: eoa,
      proxy_wallet: found.proxyWallet?.toLowerCase() ?? null,
      username: usernameOf(found) ?? null,
      pseudonym: found.pseudonym ?? null,
      display_username_public: found.displayUsernamePublic ?? null,
      profile_image: found.profileImage ?? null,
      x_username: found.xUsername ?? null,
      verified_badge: found.verifiedBadge ?? null,
      source: 'polymarket_public_profile' as const,
    }
  },
})

const usernameAvailable = defineAnswer({
  ...common,
  path: '/v3/polymarket/profiles/username-available',
  operationId: 'isUsernameAvailable',
  summary: 'Whether a username is free',
  description:
    'Whether a public profile of the platform has the name, in any letter case. A name that its owner hides is not found.',
  query: UsernameQuery,
  reply: UsernameReply,
  answer: async ({ caller, deps: { resolver } }: AnswerTools<DirectoryDeps>, { username }) => {
    const found = await resolver.byUsername(username, caller.accountId)
    return { username, available: found === undefined, source: 'polymarket_public_search' as const }
  },
})

export const directoryRoutes = endpointRoutes<DirectoryDeps>([
  identityBatch,
  identitySearch,
  identity,
  usernameAvailable,
  profile,
])
