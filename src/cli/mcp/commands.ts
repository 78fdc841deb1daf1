import type { Command } from 'commander'
import { addServiceFlags, type ServiceFlags } from '../../config/service-address.js'

const HELP = `
For programs that start their MCP servers themselves and speak to them over stdin and stdout. It passes messages
on to /mcp of the service, which has the tools; the limits of the key hold. Programs that speak streamable HTTP
need no command: give them the address of the service with /mcp, and the key as the header x-api-key.

Example, as the settings of such a program have it:
  { "command": "npx", "args": ["auspex", "mcp", "--url", "http://127.0.0.1:8080"], "env": { "AUSPEX_KEY": "ax_live_…" } }

Ends when stdin ends. Exits with 1 when no key is given.`

/** Adds `mcp` to the command line. */
export function addMcpCommand(program: Command): Command {
  const command = program
    .command('mcp')
    .description('tools of a running service for language models, over stdio')
  return addServiceFlags(command)
    .addHelpText('after', HELP)
    .action(async (flags: ServiceFlags) => {
      const { runMcp } = await import('./run-mcp.js')
      await runMcp(flags)
    })
}
