/**
 * What the kernel and the code around it agree on: places, records and codes. Both compile this file, one as TypeScript
 * and one as AssemblyScript, so it holds integer constants only.
 *
 * ```
 * memory      constants, learned keys, the plan, room for parameters, documents and their tapes, the output
 * shape       the size of its frames, its first key, the dictionary of its keys
 * key         what is under it, the key to expect next, the key itself in quotes
 * step        what to print, the step behind it, the text to print before it
 * frame       the next frame of its list, the kind of the entry, then a slot of two words for each key of the shape
 * slot        where the value starts, then its length (or count) and its kind
 * ```
 */

/** Records of unselected keys, which the kernel writes as it meets them. */
export const learnedBase = 1_024;
export const learnedKeys = 256;
export const learnedKeyBytes = 64;
/** The record of no key, expected where nothing is known. The kernel's constants lie below. */
export const neverKey = learnedBase - learnedKeyBytes;
export const planBase = learnedBase + learnedKeys * learnedKeyBytes;

/** The kernel moves 16 bytes at a time, so it may touch bytes beyond the end of anything. */
export const slack = 64;
export const blockBytes = 16;

/** The kernel notes levels of lists and objects in the bits of a word. */
export const maxDepth = 64;

/** A page of the contract has 100 posts; a million values take seconds and more than a gigabyte. */
export const maxValues = 100_000;

// A dictionary: a mask, then slots with the address of a record or 0. Offsets of the words of a record in it.
export const dictionaryMask = 0;
export const dictionarySlots = 4;

// A key record, which is also that of a mapped string and of a case.
/** The length of its text: the key in quotes. A colon follows, which is not counted. */
export const keyLength = 0;
/** The bytes of the text and its colon among the first 32, as bits. */
export const keyMask = 4;
/** What was found: of a key the offset of its slot, of a mapped string its JSON text, of a case its first step. */
export const keyValue = 8;
/** Key: what is under it. Mapped string: the length of its JSON text. */
export const keyDetail = 12;
/** Key: the shape of the object, or of the entries of the list. */
export const keyShape = 16;
/** Key: the key that followed it last time in its object. The kernel writes it. */
export const keyNext = 20;
/** Key whose value is not noted: the first key that was met in the value last time. The kernel writes it. */
export const keyInside = 24;
/** Key that can be expected: the shape of its object, or the record of the key whose value is skipped. */
export const keyOwner = 28;
export const keyText = 32;

/** Longest text that is compared at once, with its colon. Longer keys are found, but not expected. */
export const longestExpected = 32;
export const ownedByNone = 0xffff_ffff;

export const detailSkipped = 0;
export const detailLeaf = 1;
export const detailObject = 2;
export const detailList = 3;
export const detailLeaves = 4;

// A shape begins as a key record that precedes the first key. Nobody expects it.
export const shapeFrameBytes = 24;
export const shapeDictionary = 28;
export const shapeBytes = 48;

export const frameNext = 0;
/** That of an object, also of a leaf with a slot of its own. */
export const frameKind = 4;
/** A slot for what nobody asked for: a value is noted without asking whether it is to be. */
export const frameUnselected = 8;
export const frameSlots = 16;

export const slotStart = 0;
/** The length in bytes of a leaf, or the count of a list, above the bits of the kind. */
export const slotWord = 4;
export const slotBytes = 8;
export const kindBits = 4;
export const kindMask = 15;

export const kindAbsent = 0;
export const kindNull = 1;
export const kindTrue = 2;
export const kindFalse = 3;
/** Printed as it stands. */
export const kindNumber = 4;
/** JSON.stringify would, or might, write it differently. */
export const kindOddNumber = 5;
/** ASCII without escapes. */
export const kindAscii = 6;
/** Without escapes; UTF-8 is checked when it is printed. */
export const kindUnicode = 7;
export const kindEscaped = 8;
/** Its slot has the address of its frame. */
export const kindObject = 9;
/** Its slot has the address of the first entry's frame. */
export const kindList = 10;
/** An object or list that is not noted. */
export const kindOther = 11;

export const stepOp = 0;
export const stepTextLength = 4;
/** Behind this step and all that stands in it. */
export const stepAfter = 8;
/** Offset of the slot in the frame. */
export const stepSlot = 12;
/** Kinds that are printed as they stand, as bits. */
export const stepDirect = 16;
export const stepRequired = 20;
/**
 * Of mappings and switches: the dictionary. Of a parameter: its index, or its list. Of base64url: its prefix. Of a choice: the first
 * step where there is something.
 */
export const stepTable = 24;
/** Mapping: the text for others. Switch and choice: the first step for others, or 0. base64url: its suffix. */
export const stepOtherwise = 28;
export const stepOtherwiseLength = 32;
export const stepBody = 36;
/** base64url: the slots of an object, and of the leaf in it that is printed first; of the object 0 where there is none. */
export const stepFirstObject = 36;
export const stepFirstLeaf = 40;
export const stepText = 48;

export const opEnd = 0;
export const opJump = 1;
export const opValue = 2;
export const opString = 3;
export const opInstant = 4;
export const opMapping = 5;
export const opBase64url = 6;
export const opParameter = 7;
export const opItemParameter = 8;
export const opObject = 9;
export const opList = 10;
export const opWindow = 11;
export const opSwitch = 12;
export const opNumber = 13;
export const opPresence = 14;
export const opChoice = 15;
export const opInner = 16;
export const opFirst = 17;
export const opInteger = 18;

// A print: its first step, its frame, the entries of its window, the addresses of its inner prints, its parameters.
export const printStep = 0;
export const printFrame = 4;
export const printFrom = 8;
export const printTo = 12;
export const printInner = 16;
export const printInnerEnd = 20;
// The parameters are lists: the first has those by index, each other has one for each item.
export const parameterListCount = 24;
/** Lists: for each the address of its texts' places, and how many there are; for each text its address and its length. */
export const parameterLists = 32;
export const parameterBytes = 8;

// What the kernel returns in place of an address: why it refuses.
export const refusedNotJson = -1;
export const refusedNotExpected = -2;
export const refusedMissing = -3;
export const refusedTooDeep = -4;
export const refusedTooLarge = -5;
