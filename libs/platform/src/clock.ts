/** The source of the time. The domain never calls it: times come in with the command. */
export type Clock = () => Date;

/** The token that a clock is injected by. */
export const Clock = Symbol('Clock');

export const systemClock: Clock = () => new Date();
