import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { STANDARD } from '../accounts/access.js'
import { badRequest, notFound } from '../core/errors.js'
import { parseAddress } from '../core/ids.js'
import { errorReply } from '../lib/error-reply.js'
import { presentIdentity } from './present.js'
import type { IdentityResolver } from './resolver.js'
import { ResolveParams, ResolveReply } from './schemas.js'

/** An address that was cut or mistyped. Usernames may begin like one. */
const BROKEN_ADDRESS = /^0x([0-9a-f]*|.{40})$/i

const DESCRIPTION = `A wallet that is a contract belongs to a key. Give either, or a username in any letter case: the
answer names the key, its wallets, and the one that it trades with, which is a deployed deposit wallet where there
is one, else the Safe or the proxy. Answers are kept for an hour, what was not found for a minute.`

export const identityRoutes =
  (resolver: IdentityResolver): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      '/v1/resolve/:query',
      {
        config: { access: STANDARD },
        schema: {
          operationId: 'resolveIdentity',
          summary: 'Who is behind a wallet, a key or a username',
          description: DESCRIPTION,
          tags: ['wallets'],
          params: ResolveParams,
          response: { 200: ResolveReply, 404: errorReply('Nothing is known of it') },
        },
      },
      async ({ params: { query }, caller }) => {
        if (caller === undefined) throw new Error('/v1/resolve was reached without a caller')
        const { accountId } = caller
        const address = parseAddress(query.toLowerCase())
        if (address === undefined && BROKEN_ADDRESS.test(query))
          throw badRequest('Invalid query: an address is 0x and 40 hexadecimal digits.')
        const identity =
          address === undefined
            ? await resolver.byUsername(query, accountId)
            : await resolver.byAddress(address, accountId)
        if (identity === undefined)
          throw notFound(address === undefined ? 'Username not found.' : 'Address not found.')
        return presentIdentity(identity)
      },
    )
  }
