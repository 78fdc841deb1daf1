import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

/** Something that the reader does: whether it is under way, and why it failed. All that is shown is asked for anew after it. */
export function useAction() {
  const client = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const run = async (work: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true)
    setProblem(undefined)
    try {
      await work()
      await client.invalidateQueries()
      return true
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
      return false
    } finally {
      setBusy(false)
    }
  }
  return { run, isBusy, problem }
}
