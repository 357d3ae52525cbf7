/**
 * `node app/main.js`: serves on all interfaces at PORT (8000), or on the socket that systemd passes. On SIGTERM the
 * kit finishes what is under way.
 */
import { name, service } from './web.js'

const served = service()
const { port } = await served.kit.listen(served)
process.stdout.write(`${name} listens${port === null ? '' : ` on port ${port}`}\n`)
