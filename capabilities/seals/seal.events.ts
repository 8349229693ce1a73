/** The stream of seals. It belongs to no environment, so that no seal is ever sealed. */
export const sealStream = 'atelier.seals';

/** A seal as an event: its data is a `StoredSeal`. */
export const rangeSealed = 'RangeSealed';

/** Holds the last seal of the log that this one was copied from. Its data is a `Seal`. */
export const sourceSealed = 'SourceSealed';
