import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { AuspexError, isLocked, isSignedOut, useApi } from '../api.js'
import { formatDuration } from '../format.js'

type LoadedProps<Value> = {
  query: Pick<UseQueryResult<Value, Error>, 'error' | 'dataUpdatedAt'> & { data: Value | undefined }
  /** Height that is reserved until the first answer comes, in rem, so that the layout does not shift. */
  height?: number
  /** The heading of a whole page while there is nothing to show on it. */
  title?: string
  /** What stands there when the answer has nothing to show. */
  empty?: { is: (value: Value) => boolean; text: ReactNode }
  children: (value: Value) => ReactNode
}

/** What a query answers, or why it does not. An answer that could not be refreshed stays, and says that it is old. */
export function Loaded<Value>({ query, height = 12, title, empty, children }: LoadedProps<Value>) {
  const { data, error, dataUpdatedAt } = query
  if (data === undefined && error === null) {
    return <div className="skeleton" role="status" aria-label="Loading" style={{ height: `${height}rem` }} />
  }
  const heading = title !== undefined && <h1>{title}</h1>
  if (data === undefined) {
    return (
      <>
        {heading}
        <Problem error={error} />
      </>
    )
  }
  return (
    <>
      {error !== null && !isSignedOut(error) && (
        <p className="notice">
          {wordsOf(error)} What you see is {formatDuration((Date.now() - dataUpdatedAt) / 1_000)} old.
        </p>
      )}
      {empty?.is(data) === true ? (
        <>
          {heading}
          <p className="inside soft">{empty.text}</p>
        </>
      ) : (
        children(data)
      )}
    </>
  )
}

/** The cheapest plan that costs something has everything that the free one lacks. */
function Locked() {
  const plans = useApi('/v1/plans')
  const paid = plans.data?.plans.find(({ price_usd_per_month: price }) => price !== 0)
  return (
    <p className="inside">
      <span className="badge">Locked</span> In the plan {paid?.id ?? 'that is paid'} and above.
    </p>
  )
}

/** What the codes of the API mean to a reader. */
const CODES: Readonly<Record<string, string>> = {
  leaderboard_unavailable: 'The boards are not made yet.',
  temporary_data_provider_error: 'The platform does not answer now.',
}

function wordsOf(error: Error): string {
  if (!(error instanceof AuspexError) || error.code === undefined) return error.message
  const words = CODES[error.code]
  return words === undefined ? error.message : [words, error.hint].filter(Boolean).join(' ')
}

/** Why there is nothing to show, and what to do about it. */
export function Problem({ error }: { error: Error | null }) {
  if (error === null) return null
  if (isLocked(error)) return <Locked />
  const id = error instanceof AuspexError ? error.requestId : undefined
  return (
    <p className="inside" role="alert">
      {wordsOf(error)}
      {id !== undefined && <span className="soft"> (request {id})</span>}
    </p>
  )
}
