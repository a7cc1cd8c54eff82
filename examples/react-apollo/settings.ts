/** What an example takes from its environment, or from the file .env beside the examples. */
import { existsSync } from 'node:fs';

if (existsSync('../.env')) process.loadEnvFile('../.env');
/** The address of the gateway. */
export const address = process.env.POSTERN_URL || 'http://127.0.0.1:4000';

/** The value of a variable. @throws Error if it has none */
export function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`Set ${name}: examples/.env.example of Postern says what it is`);
  return value;
}
