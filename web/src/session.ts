import { auspex, isSignedOut, queryClient, useApi } from './api.js'

const SESSION = '/v1/session'

/** The session of the reader. `undefined`: the reader is not signed in; `isKnown`: the service has answered. */
export function useSession({ isWanted }: { isWanted: boolean }) {
  const { data, error, isPending } = useApi(SESSION, { everyMs: 60_000, isWanted })
  const isOut = isSignedOut(error)
  return { session: isOut ? undefined : data, isKnown: !isPending }
}

/** Asks again who is signed in, and forgets what another account saw. */
export const forgetAll = (): Promise<void> => queryClient.resetQueries()

export async function signOut(): Promise<void> {
  await auspex.delete(SESSION)
  await forgetAll()
}

// A key that was revoked ends the session: the first refusal brings the reader back to the sign-in.
queryClient.getQueryCache().subscribe(({ query, type }) => {
  if (type !== 'updated' || query.queryKey[0] === SESSION || !isSignedOut(query.state.error)) return
  void queryClient.invalidateQueries({ queryKey: [SESSION] })
})
