// What node:http adds by itself.
const ADDED = ['date', 'connection', 'keep-alive']

export type RecordedAnswer = { headers: Record<string, string>; body: string }

/** An answer of the service, for a yardstick that sends the same. */
export async function recordAnswer(port: number, path: string, key: string): Promise<RecordedAnswer> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { 'x-api-key': key, 'accept-encoding': 'identity' },
  })
  const headers = [...answer.headers].filter(([name]) => !ADDED.includes(name))
  return { headers: Object.fromEntries(headers), body: await answer.text() }
}
