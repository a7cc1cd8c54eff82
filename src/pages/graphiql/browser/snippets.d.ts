interface Operation {
  readonly url: string;
  readonly query: string;
  readonly variables: object;
}

export function curl(operation: Operation): string;
export function javaScript(operation: Operation): string;
export function typeScript(operation: Operation): string;
export function client(operation: Operation): string;
export function python(operation: Operation): string;
export function go(operation: Operation): string;
