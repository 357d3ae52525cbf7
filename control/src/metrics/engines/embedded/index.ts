export { EmbeddedEngine, type EmbeddedOptions } from './embedded-engine.ts'
