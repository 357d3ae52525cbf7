export { secretKeyName } from './key-file.ts'
export { SecretBox } from './secret-box.ts'
