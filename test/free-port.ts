import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below those that systems give to outgoing connections: none of them takes the port of a server that is down for a moment. */
const PORT_MIN = 10_000
const PORT_MAX = 32_000

/** A port of the loopback address that nothing listens on, for programs that do not choose one themselves. */
export async function findFreePort(): Promise<number> {
  const port = randomInt(PORT_MIN, PORT_MAX)
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return await findFreePort()
  }
  server.close()
  await once(server, 'close')
  return port
}
