/** Reads a Dockerfile: the instructions that ours uses, and no others. */

export interface Instruction {
  readonly name: string;
  /** Options such as `--mount=…`, without the dashes. */
  readonly flags: readonly string[];
  readonly text: string;
}

/** What a container is started with. */
export interface ImageConfig {
  readonly environment: Readonly<Record<string, string>>;
  readonly directory: string;
  readonly user: string;
  readonly command: readonly string[];
  readonly healthCheck: readonly string[];
}

/** How the instructions that change files are carried out, as the user and in the folder of the configuration so far. */
export interface Builder {
  copy(sources: readonly string[], target: string): void;
  run(script: string, flags: readonly string[], config: ImageConfig): void;
}

export function parseDockerfile(text: string): Instruction[] {
  const lines = text
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('#'))
    .join('\n')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .map((line) => line.trim());
  return lines.filter(Boolean).map((line) => {
    const [, name = '', flags = '', rest = ''] = /^(\w+)\s+((?:--\S+\s+)*)(.*)$/.exec(line) ?? [];
    return {
      name,
      flags: flags
        .split(/\s+/)
        .filter(Boolean)
        .map((flag) => flag.slice(2)),
      text: rest,
    };
  });
}

/**
 * Carries out the instructions in order.
 * @returns what a container of the image is started with
 * @throws Error for an instruction that is not known here
 */
export function build(instructions: readonly Instruction[], builder: Builder): ImageConfig {
  let config: ImageConfig = { environment: {}, directory: '/', user: 'root', command: [], healthCheck: [] };
  for (const { name, flags, text } of instructions) {
    switch (name) {
      case 'FROM':
      case 'EXPOSE':
        break;
      case 'ENV':
        config = { ...config, environment: { ...config.environment, ...pairsOf(text) } };
        break;
      case 'WORKDIR':
        config = { ...config, directory: text };
        break;
      case 'USER':
        config = { ...config, user: text };
        break;
      case 'COPY': {
        const paths = text.split(/\s+/);
        const target = paths.pop() ?? '';
        builder.copy(paths, target.startsWith('/') ? target : `${config.directory}/${target}`);
        break;
      }
      case 'RUN':
        builder.run(text, flags, config);
        break;
      case 'HEALTHCHECK':
        config = { ...config, healthCheck: wordsOf(text.replace(/^CMD\s+/, '')) };
        break;
      case 'CMD':
        config = { ...config, command: wordsOf(text) };
        break;
      default:
        throw new Error(`The test does not know the instruction ${name}`);
    }
  }
  return config;
}

const pairsOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    text.split(/\s+/).map((pair): [string, string] => [pair.split('=')[0] ?? '', pair.split('=')[1] ?? '']),
  );

/** The JSON form, which starts no shell. */
function wordsOf(text: string): string[] {
  const words: unknown = JSON.parse(text);
  if (Array.isArray(words) && words.every((word) => typeof word === 'string')) return words;
  throw new Error(`${text} is no list of words`);
}

/** Whether a path is in the build context, by the patterns of a `.dockerignore` of the kind that ours is: `*` and exceptions. */
export function isInContext(dockerignore: string, path: string): boolean {
  const patterns = dockerignore.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return patterns.includes('*') && patterns.includes(`!${path}`);
}
