/** A configuration that the process cannot start with. The message names the variable and the cure. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
