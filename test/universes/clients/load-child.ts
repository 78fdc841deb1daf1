import { type Asked, LoadClient } from './load-client.js'

/** What the soak sends: first the service to ask, then that it has seen enough. It gets what was asked. */
export type LoadMessage = { url: string; key: string } | 'enough'

let client: LoadClient | undefined

process.on('message', async (message: LoadMessage) => {
  if (message !== 'enough') {
    client = new LoadClient(message.url, message.key)
    return
  }
  await client?.close()
  const asked: readonly Asked[] = client?.asked ?? []
  process.send?.(asked, () => process.exit())
})
