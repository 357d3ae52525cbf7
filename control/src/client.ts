/** What a program on the machine needs to find and ask a running control, without loading all of it. */
export { type Config, type ConfigSources, loadConfig } from './config.ts'
export { type Running, runningOn, takeHome } from './home.ts'
export { operatorTokenFile, readToken } from './tokens/token-file.ts'
