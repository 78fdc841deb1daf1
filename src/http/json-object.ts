import { badRequest } from '../core/errors.js'

/** For bodies that are read field by field. Throws a 400 unless it is an object. */
export function readJsonObject(body: unknown): { readonly [field: string]: unknown } {
  if (body === undefined || body === null) throw badRequest('The request needs a JSON body.')
  if (typeof body !== 'object' || Array.isArray(body)) {
    throw badRequest('The body must be a JSON object.')
  }
  return body as { readonly [field: string]: unknown }
}
