import { once } from 'node:events'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  ErrorCode,
  InitializeResultSchema,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
} from '@modelcontextprotocol/sdk/types.js'
import { findService, type ServiceAddress, type ServiceFlags } from '../../config/service-address.js'
import { codeOf, messageOf } from '../../core/errors.js'
import { stopSignal } from '../../lib/stop-signal.js'

/** Passes messages between stdin and stdout and a service, until stdin ends or a signal comes. */
export async function runMcp(flags: ServiceFlags): Promise<void> {
  const service = findService(flags)
  const stdio = new StdioServerTransport()
  const close = await relay(stdio, service)
  await Promise.race([once(process.stdin, 'end'), once(stopSignal(), 'abort')])
  await close()
}

/** Returns what ends it. */
async function relay(stdio: Transport, { url, key }: ServiceAddress): Promise<() => Promise<void>> {
  const address = new URL('/mcp', url.href.replace(/^ws/, 'http'))
  const http = new StreamableHTTPClientTransport(address, { requestInit: { headers: { 'x-api-key': key } } })
  const initializing = new Set<unknown>()
  const answer = (message: JSONRPCMessage) => void stdio.send(message).catch(() => undefined)

  http.onmessage = (message: JSONRPCMessage) => {
    if (isJSONRPCResultResponse(message) && initializing.delete(message.id)) {
      const { data } = InitializeResultSchema.safeParse(message.result)
      // Every later request says which version both agreed on.
      if (data !== undefined) http.setProtocolVersion(data.protocolVersion)
    }
    answer(message)
  }
  stdio.onmessage = (message) => {
    if (isJSONRPCRequest(message) && message.method === 'initialize') initializing.add(message.id)
    http.send(message).catch((error: unknown) => {
      if (!isJSONRPCRequest(message)) return
      initializing.delete(message.id)
      const text = explainFault(error, address)
      answer({ jsonrpc: '2.0', id: message.id, error: { code: ErrorCode.InternalError, message: text } })
    })
  }
  await http.start()
  await stdio.start()
  return async () => {
    await http.close()
    await stdio.close()
  }
}

/** What the service said, or why it was not reached, for a model or its user to read. */
function explainFault(error: unknown, { origin }: URL): string {
  const said = /\{.*\}$/s.exec(messageOf(error))?.[0]
  const { error: refusal } = said === undefined ? {} : readObject(said)
  if (typeof refusal === 'string') return `${origin}: ${refusal}`
  const code = codeOf(error instanceof Error ? error.cause : undefined)
  if (code === undefined) return `${origin}: ${messageOf(error)}`
  return `${origin} does not answer (${code}). Is the service running? \`auspex up\` starts one.`
}

function readObject(text: string): { error?: unknown } {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
