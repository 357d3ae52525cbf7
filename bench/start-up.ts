/** How long `npm start` takes until it is ready, when everything is installed. */
import { type Figure, median } from './figure.ts'
import { startEnvironment } from './process.ts'

const rounds = 5

export const startUp: Figure = {
  name: 'npm start until ready',
  goal: '<= 3 s',
  async measure() {
    const times: number[] = []
    for (let round = 0; round < rounds; round++) {
      const environment = await startEnvironment('npm', ['start', '--silent', '--'])
      times.push(environment.readyMs / 1000)
      await environment.stop()
    }
    return {
      reached: median(times) <= 3,
      value: `${median(times).toFixed(2)} s`,
      details: `median of ${rounds}, slowest ${Math.max(...times).toFixed(2)} s`,
    }
  },
}
