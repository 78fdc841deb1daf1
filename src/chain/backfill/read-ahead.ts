/** The same items; while one is worked on the next one is asked for. */
export async function* readAhead<T>(source: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    for (let next = source.next(); ; ) {
      const { done, value } = await next
      if (done === true) return
      next = source.next()
      next.catch(() => undefined)
      yield value
    }
  } finally {
    await source.return(undefined)
  }
}
