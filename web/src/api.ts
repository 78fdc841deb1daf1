import { QueryClient, type UseQueryResult, useQuery } from '@tanstack/react-query'
import {
  type Answer,
  AuspexClient,
  AuspexError,
  type OptionsArgument,
  type PathOf,
  type RequestOptions,
} from 'auspex-client'

/** Signed in by a cookie, which the browser sends by itself. A page says at once what went wrong, and asks again. */
export const auspex = new AuspexClient({ baseUrl: location.origin, retries: 0 })

const STALE_MS = 5_000
const FAILED_RETRY_MS = 5_000

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: STALE_MS,
      retry: false,
      refetchOnWindowFocus: false,
    },
  },
})

type Refresh = {
  /** Ask again after this time; absent: once. */
  everyMs?: number
  /** `false`: not yet. */
  isWanted?: boolean
}

type Asked<P extends PathOf<'get'>> = RequestOptions<P, 'get'> & Refresh

/** An answer of the API, kept up to date while it is shown. */
export function useApi<P extends PathOf<'get'>>(
  path: P,
  ...[asked]: OptionsArgument<Asked<P>>
): UseQueryResult<Answer<P>, Error> {
  const { everyMs, isWanted, signal: _, ...options }: Refresh & { signal?: unknown } = asked ?? {}
  return useQuery({
    queryKey: [path, options],
    queryFn: ({ signal }) => auspex.request<Answer<P>>('get', path, { ...options, signal }),
    enabled: isWanted !== false,
    refetchInterval: ({ state }) => (mayPass(state.error) ? FAILED_RETRY_MS : (everyMs ?? false)),
    placeholderData: (previous) => previous,
  })
}

/** Whether the same request may be answered a moment later. */
const mayPass = (error: Error | null): boolean =>
  error instanceof AuspexError && (error.status === undefined || error.status === 429 || error.status >= 500)

export const isSignedOut = (error: unknown): boolean => error instanceof AuspexError && error.status === 401

/** The plan has no access to what was asked for. */
export const isLocked = (error: unknown): boolean => error instanceof AuspexError && error.status === 402

export { AuspexError }
