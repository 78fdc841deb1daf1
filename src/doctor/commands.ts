import type { Command } from 'commander'
import type { Config } from '../config/config.js'

/** Adds `doctor` to the command line. */
export const addDoctorCommand = (program: Command, readConfig: (command: Command) => Config): Command =>
  program
    .command('doctor')
    .description('check versions, memory, disk, clock, database, keys and upstreams, and say what to do')
    .addHelpText('after', HELP)
    .action(async (_options: object, command: Command) => {
      const { runDoctor } = await import('./run-doctor.js')
      await runDoctor(readConfig(command))
    })

const HELP = `
It changes nothing, and runs beside a service or without one. The exit code is 1 if something failed.

Examples:
  $ auspex doctor
  $ auspex doctor --data /srv/auspex
`
