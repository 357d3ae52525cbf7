export { secretKeyName } from './key-file.ts'
export { isUnreadable, SecretBox } from './secret-box.ts'
