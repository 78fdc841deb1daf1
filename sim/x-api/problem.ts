import type { HttpReply } from '../server/handlers.js'

const TYPES = 'https://api.twitter.com/2/problems'

/** An error answer of X. */
export class Problem extends Error {
  override name = 'Problem'
  readonly reply: HttpReply

  constructor(status: number, body: object) {
    super(`problem ${status}`)
    this.reply = { status, body }
  }
}

type ParameterFault = { parameters: Record<string, readonly string[]>; message: string }

export const invalidRequest = (errors: readonly ParameterFault[]) =>
  new Problem(400, {
    errors,
    title: 'Invalid Request',
    detail: 'One or more parameters to your request was invalid.',
    type: `${TYPES}/invalid-request`,
  })

export const invalidParameter = (name: string, value: string, message: string) =>
  invalidRequest([{ parameters: { [name]: [value] }, message }])

/** A problem that has no type of its own. */
export const plainProblem = (status: number, title: string) =>
  new Problem(status, { title, detail: title, type: 'about:blank', status })

export const forbidden = () =>
  new Problem(403, {
    client_id: '29612345',
    detail: 'Your client app is not configured with the appropriate access to this endpoint.',
    reason: 'client-not-enrolled',
    title: 'Client Forbidden',
    type: `${TYPES}/client-forbidden`,
  })

/** Part of a 200: what was asked for beside it could not be found. */
export const missing = (kind: 'user' | 'tweet', parameter: string, value: string) => ({
  value,
  detail: `Could not find ${kind} with ${parameter}: [${value}].`,
  title: 'Not Found Error',
  resource_type: kind,
  parameter,
  resource_id: value,
  type: `${TYPES}/resource-not-found`,
})

export const suspended = (username: string) => ({
  ...missing('user', 'username', username),
  detail: `User has been suspended: [${username}].`,
  title: 'Forbidden',
})

export const notAuthorized = (id: string) => ({
  ...missing('user', 'id', id),
  detail: `Sorry, you are not authorized to see the user with id: [${id}].`,
  title: 'Authorization Error',
  type: `${TYPES}/not-authorized-for-resource`,
})
