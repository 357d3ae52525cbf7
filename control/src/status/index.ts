export { statusDocuments } from './documents.ts'
