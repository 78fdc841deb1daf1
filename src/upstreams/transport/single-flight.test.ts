import { describe, expect, test } from 'vitest'
import { SingleFlight } from './single-flight.js'

/** Work that ends when the test says so. */
const setup = () => {
  const flights = new SingleFlight<string>()
  const started: { signal: AbortSignal; end: (answer: string) => void }[] = []
  const ask = (signal?: AbortSignal) =>
    flights.run('key', signal, (shared) => {
      return new Promise<string>((resolve, reject) => {
        started.push({ signal: shared, end: resolve })
        shared.addEventListener('abort', () => reject(shared.reason))
      })
    })
  return { ask, started }
}

describe('SingleFlight', () => {
  test('those who ask at the same time share one piece of work, later ones do not', async () => {
    const { ask, started } = setup()
    const both = [ask(), ask(new AbortController().signal)]
    started[0]?.end('first')
    expect(await Promise.all(both)).toEqual(['first', 'first'])
    const later = ask()
    started[1]?.end('second')
    expect(await later).toBe('second')
    expect(started).toHaveLength(2)
  })

  test('an abort ends the wait of its own caller alone', async () => {
    const { ask, started } = setup()
    const leaving = new AbortController()
    const gone = ask(leaving.signal)
    const staying = ask(new AbortController().signal)
    const reason = new Error('enough')
    leaving.abort(reason)
    await expect(gone).rejects.toBe(reason)
    expect(started[0]?.signal.aborted).toBe(false)
    started[0]?.end('answer')
    expect(await staying).toBe('answer')
  })

  test('the work is aborted when the last caller leaves, and no later caller joins it', async () => {
    const { ask, started } = setup()
    const leaving = new AbortController()
    const gone = [ask(leaving.signal), ask(leaving.signal)]
    leaving.abort(new Error('enough'))
    const next = ask()
    await expect(Promise.any(gone)).rejects.toThrow()
    expect(started[0]?.signal.aborted).toBe(true)
    started[1]?.end('fresh')
    expect(await next).toBe('fresh')
  })

  test('who has aborted already starts nothing', async () => {
    const { ask, started } = setup()
    const reason = new Error('too late')
    await expect(ask(AbortSignal.abort(reason))).rejects.toBe(reason)
    expect(started).toHaveLength(0)
  })
})
