/** Constants in memory: the engine would build a constant block in three instructions, where loading takes one. */
const blocks = memory.data<u8>(
  [
    2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, //
    32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, //
    33, 33, 33, 33, 33, 33, 33, 33, 33, 33, 33, 33, 33, 33, 33, 33, //
    80, 80, 80, 80, 80, 80, 80, 80, 80, 80, 80, 80, 80, 80, 80, 80, //
    92, 92, 92, 92, 92, 92, 92, 92, 92, 92, 92, 92, 92, 92, 92, 92, //
    137, 137, 137, 137, 137, 137, 137, 137, 137, 137, 137, 137, 137, 137, 137, 137,
  ],
  16,
);

@inline
export function block2(): v128 {
  return v128.load(blocks);
}

@inline
export function block32(): v128 {
  return v128.load(blocks, 16);
}

@inline
export function block33(): v128 {
  return v128.load(blocks, 32);
}

@inline
export function block80(): v128 {
  return v128.load(blocks, 48);
}

@inline
export function block92(): v128 {
  return v128.load(blocks, 64);
}

@inline
export function block137(): v128 {
  return v128.load(blocks, 80);
}
