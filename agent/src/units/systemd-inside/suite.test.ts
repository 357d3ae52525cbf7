import { unitSuite } from '../suite.ts'
import { agentOn, endAll, onlyInside } from './under-test.ts'

onlyInside('units by systemd', () => {
  unitSuite({ name: 'systemd', missing: undefined, open: agentOn, endAll })
})
