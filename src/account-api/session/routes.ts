import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { PUBLIC, STANDARD } from '../../accounts/access.js'
import { showAccount, showKey } from '../../accounts/accounts.js'
import type { Accounts } from '../../accounts/domain.js'
import type { Caller } from '../../accounts/key-ring.js'
import { selectKeyCard } from '../../accounts/queries.js'
import { endSessions } from '../../accounts/web-sessions.js'
import { databaseLost } from '../../core/errors.js'
import { callerOf } from '../../http/guard.js'
import {
  CLEARED_SESSION_COOKIE,
  findSessions,
  formatSessionCookie,
  refuseOtherOrigin,
} from '../../http/session-cookie.js'
import type { Platform } from '../../platform.js'
import type { Sql } from '../../store/connection.js'
import {
  CreateSessionBody,
  NewSessionReply,
  NotSignedIn,
  OtherOrigin,
  SessionReply,
  SignedOut,
  TooManyGuesses,
} from './schemas.js'
import { SignIns } from './sign-ins.js'

const tags = ['account']

/** Signing in and out: a cookie that stands for a key, for pages of this service. */
export const sessionRoutes =
  (platform: Platform, { keyRing, keyChanges }: Accounts): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { config, store, log } = platform
    const signIns = new SignIns({ platform, keyRing })

    app.post(
      '/v1/session',
      {
        bodyLimit: 16 * 1024,
        config: { access: PUBLIC },
        schema: {
          operationId: 'createSession',
          summary: 'Sign in',
          description:
            'Begins a session of a day, for pages of this service: its cookie is accepted in place of the key, with ' +
            'the same plan, limits and usage. It ends with the key: when that is revoked or expires.',
          tags,
          body: CreateSessionBody,
          response: { 201: NewSessionReply, 401: NotSignedIn, 403: OtherOrigin, 429: TooManyGuesses },
        },
      },
      async (request, reply) => {
        refuseOtherOrigin(request, config)
        if (store.problem !== undefined) throw databaseLost()
        const { api_key: given, code, account_name: accountName } = request.body
        const { caller, session, secret } = await signIns.begin(
          { secret: given, code, accountName },
          request.ip,
        )
        const { accountId, keyId } = caller
        log.info({ account: accountId, key: keyId, has_new_account: secret !== undefined }, 'signed in')
        const isSecure = request.protocol === 'https'
        reply.header('set-cookie', formatSessionCookie(session.token, { isSecure })).code(201)
        return {
          ...(await presentSession(platform.sql, caller)),
          ...(secret !== undefined && { api_key: secret }),
        }
      },
    )

    app.get(
      '/v1/session',
      {
        config: { access: STANDARD },
        schema: {
          operationId: 'getSession',
          summary: 'Who is signed in',
          description: 'Answers requests with a key, too.',
          tags,
          response: { 200: SessionReply },
        },
      },
      async (request) => {
        return await presentSession(request.readSql(), callerOf(request))
      },
    )

    app.delete(
      '/v1/session',
      {
        config: { access: PUBLIC },
        schema: {
          operationId: 'deleteSession',
          summary: 'Sign out',
          description: 'Ends the session of the cookie in all processes. Without one there is nothing to do.',
          tags,
          response: { 204: SignedOut, 403: OtherOrigin },
        },
      },
      async (request, reply) => {
        refuseOtherOrigin(request, config)
        const tokens = findSessions(request, config, { isChange: true })
        if (tokens.length > 0) {
          if (store.problem !== undefined) throw databaseLost()
          await endSessions(platform.sql, tokens)
          // At once in this process, and within a second in the others.
          await keyChanges.announce()
        }
        return reply.header('set-cookie', CLEARED_SESSION_COOKIE).code(204).send(null)
      },
    )
  }

async function presentSession(sql: Sql, { keyId, accountId, plan, expiresAtMs }: Caller) {
  const card = await selectKeyCard(sql, keyId)
  if (card === undefined) throw new Error('the key of a caller is gone')
  return {
    account: { id: showAccount(accountId), name: card.accountName, plan: plan.id },
    key: { id: showKey(keyId), name: card.name, hint: card.hint },
    expires_at: Number.isFinite(expiresAtMs) ? new Date(expiresAtMs).toISOString() : null,
  }
}
