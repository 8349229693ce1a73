/** Where the time comes from. The domain never asks: times come in with the command. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();
