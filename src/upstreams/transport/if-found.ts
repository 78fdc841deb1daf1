import { UpstreamError } from './errors.js'

/** `undefined` when the upstream answers that there is no such thing. */
export async function ifFound<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof UpstreamError && error.status === 404) return undefined
    throw error
  }
}
