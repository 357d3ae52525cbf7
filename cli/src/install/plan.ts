/** The whole installation as a list; what undoes it is beside each step. */

import { type Choice, configOf, configurationSteps } from './configuration.ts'
import { compileCacheRemovals, directorySteps } from './directories.ts'
import { launcherSteps } from './launcher.ts'
import { agentUnit, type Code, controlUnit } from './places.ts'
import { projectUnitRemovals } from './project-units.ts'
import { serviceSteps } from './services.ts'
import { type Act, type Step, undoing } from './step.ts'
import { remainderRemovals, unitStep } from './unit-step.ts'
import { agentUnitText, controlUnitText } from './units.ts'
import { projectUserRemovals, userSteps } from './users.ts'

export const installation = (code: Code, choice: Choice): Step[] => {
  const { data, programs, services } = parts(code, choice)
  return [...data, ...programs, ...services]
}

/** Data, configuration and users stay, unless it is a purge. */
export function removal(code: Code, { purge }: { purge: boolean }): Act[] {
  const { data, programs, services } = parts(code, {})
  return [
    ...undoing(services),
    ...projectUnitRemovals(),
    ...undoing(programs),
    ...compileCacheRemovals(),
    ...(purge ? [...remainders(), ...projectUserRemovals(), ...undoing(data)] : []),
  ]
}

interface Parts {
  data: Step[]
  programs: Step[]
  services: Step[]
}

function parts(code: Code, choice: Choice): Parts {
  const control = unitStep(controlUnit, () => {
    const { listen, limits } = configOf(choice)
    return controlUnitText(code, { port: listen.port, stop_s: limits.stop_s })
  })
  const agent = unitStep(agentUnit, () => agentUnitText(code))
  return {
    data: [...userSteps(), ...directorySteps(), ...configurationSteps(choice)],
    programs: [control, agent, ...launcherSteps(code)],
    services: serviceSteps({ control, agent }),
  }
}

const remainders = (): Act[] =>
  [controlUnit, agentUnit, 'qd-*.{service,socket,timer}'].flatMap(remainderRemovals)
