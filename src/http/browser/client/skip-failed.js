export function skipFailed(response) {
  const dropped = new Map();
  const kept = [];
  const skipped = [];
  for (const error of response.errors ?? []) {
    const { path = [], message, extensions } = error;
    const item = itemOn(response.data, path);
    if (item === null) kept.push(error);
    else if (drop(item, dropped)) skipped.push({ path, message, code: String(extensions?.code) });
  }
  if (skipped.length === 0) return { response, skipped };
  const { errors: _, ...rest } = response;
  const whole = { ...rest, data: without(response.data, dropped), ...(kept.length > 0 && { errors: kept }) };
  return { response: whole, skipped };
}
function itemOn(data, path) {
  let found = null;
  let value = data;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) break;
    if (Array.isArray(value) && typeof key === 'number') found = { list: value, index: key };
    value = value[key];
  }
  return found;
}
function drop({ list, index }, dropped) {
  const indexes = dropped.get(list);
  if (indexes?.has(index)) return false;
  dropped.set(list, (indexes ?? new Set()).add(index));
  return true;
}
function without(value, dropped) {
  if (Array.isArray(value)) {
    const gone = dropped.get(value);
    return value.filter((_, index) => !gone?.has(index)).map((item) => without(item, dropped));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, without(inner, dropped)]));
}
