import { useState } from 'react'
import { queryClient } from '../api.js'

/** Something that the reader does: whether it is under way, and why it failed. `run` says whether it succeeded. */
export function useRun() {
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const run = async (work: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true)
    setProblem(undefined)
    try {
      await work()
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

/** `useRun` for a change of data: after it the page requests all that it shows again. */
export function useAction() {
  const { run, ...state } = useRun()
  const change = (work: () => Promise<unknown>) =>
    run(async () => {
      await work()
      await queryClient.invalidateQueries()
    })
  return { run: change, ...state }
}
