import { readIfExists } from '../../kernel/secrets/secret.ts';

export const readDemoKey = async (file: string): Promise<string | undefined> => (await readIfExists(file))?.trim();
